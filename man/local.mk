# man/: pages and completion, printed by the program from its own tables.
man_MANS = man/xoff.1 man/xoff-experiment.5
bashcompdir = $(datadir)/bash-completion/completions
bashcomp_DATA = man/xoff
CLEANFILES += $(man_MANS) $(bashcomp_DATA)

man/xoff.1: xoff$(EXEEXT)
	@$(MKDIR_P) man
	$(AM_V_GEN)./xoff$(EXEEXT) manual 1 >$@.tmp && mv -f $@.tmp $@
man/xoff-experiment.5: xoff$(EXEEXT)
	@$(MKDIR_P) man
	$(AM_V_GEN)./xoff$(EXEEXT) manual 5 >$@.tmp && mv -f $@.tmp $@
man/xoff: xoff$(EXEEXT)
	@$(MKDIR_P) man
	$(AM_V_GEN)./xoff$(EXEEXT) manual bash >$@.tmp && mv -f $@.tmp $@
