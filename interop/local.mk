# interop/: other people's formats.  Uses sim/, models/, observe/, analyze/ and scenario/.
noinst_LIBRARIES += libinterop.a
libinterop_a_SOURCES = \
	interop/chrometrace.c \
	interop/chrometrace.h \
	interop/ns3.c \
	interop/ns3.h \
	interop/ns3_fabric.c \
	interop/ns3_inside.h \
	interop/ns3_keys.c \
	interop/ns3_nic.c \
	interop/ns3_read.c \
	interop/pcapng.c \
	interop/pcapng.h \
	interop/sonic.c \
	interop/sonic.h \
	interop/sonic_account.c \
	interop/sonic_asic.c \
	interop/sonic_buffer.c \
	interop/sonic_cable.c \
	interop/sonic_class.c \
	interop/sonic_compute.c \
	interop/sonic_device.c \
	interop/sonic_doc.c \
	interop/sonic_field.c \
	interop/sonic_group.c \
	interop/sonic_inside.h \
	interop/sonic_link.c \
	interop/sonic_meant.c \
	interop/sonic_lookup.c \
	interop/sonic_note.c \
	interop/sonic_port.c \
	interop/sonic_profile.c \
	interop/sonic_qos.c \
	interop/sonic_switch.c \
	interop/sonic_tunnel.c \
	interop/sonic_write.c \
	interop/wireframe.c \
	interop/wireframe.h \
	interop/zstdfile.c \
	interop/zstdfile.h
