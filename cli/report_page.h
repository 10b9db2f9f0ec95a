/*
 * cli/report_page.h - the page of `xoff report', as replay/embed.sh puts it into
 * the program: HTML with style and script, and a line where the data go.
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H
#include <stddef.h>

extern const unsigned char report_page[];
extern const size_t report_page_bytes;		/* 0: it was not built */
extern const int report_page_stale;		/* 1: it is not of the sources the program was built from */
#endif
