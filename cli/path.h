/* cli/path.h - names of files, put together; free() the answer. */
#ifndef PATH_H
#define PATH_H

char *path_join(const char *dir, const char *name);	/* "DIR/NAME" */
char *path_append(const char *path, const char *suffix);	/* "PATHSUFFIX" */
#endif
