// SPDX-License-Identifier: Apache-2.0
// Own stand-in: what LLVM's C++ library asks of macOS's C library and Linux's has not. Read by
// "scripts/mac-check.sh --libcxx" alone.
#pragma once
#include <ctype.h>
#include <locale.h>
#include <stddef.h>
#include <wchar.h>
#define MB_CUR_MAX_L(locale) 4
#define _CTYPE_A 0x00000100L
#define _CTYPE_B 0x00020000L
#define _CTYPE_C 0x00000200L
#define _CTYPE_D 0x00000400L
#define _CTYPE_L 0x00001000L
#define _CTYPE_P 0x00002000L
#define _CTYPE_R 0x00040000L
#define _CTYPE_S 0x00004000L
#define _CTYPE_U 0x00008000L
#define _CTYPE_X 0x00010000L
#undef isalpha_l
#undef isdigit_l
#undef islower_l
#undef isupper_l
#undef isxdigit_l
#undef tolower_l
#undef toupper_l
extern "C" {
int asprintf_l(char** text, locale_t locale, const char* format, ...);
int snprintf_l(char* text, size_t size, locale_t locale, const char* format, ...);
int sscanf_l(const char* text, locale_t locale, const char* format, ...);
int mbtowc_l(wchar_t* wide, const char* text, size_t size, locale_t locale);
int wctob_l(wint_t wide, locale_t locale);
size_t mbrlen_l(const char* text, size_t size, mbstate_t* state, locale_t locale);
size_t mbrtowc_l(wchar_t* wide, const char* text, size_t size, mbstate_t* state, locale_t locale);
size_t mbsnrtowcs_l(wchar_t* wide,
                    const char** text,
                    size_t textSize,
                    size_t size,
                    mbstate_t* state,
                    locale_t locale);
size_t
mbsrtowcs_l(wchar_t* wide, const char** text, size_t size, mbstate_t* state, locale_t locale);
size_t wcrtomb_l(char* text, wchar_t wide, mbstate_t* state, locale_t locale);
size_t wcsnrtombs_l(char* text,
                    const wchar_t** wide,
                    size_t wideSize,
                    size_t size,
                    mbstate_t* state,
                    locale_t locale);
wint_t btowc_l(int byte, locale_t locale);
struct lconv* localeconv_l(locale_t locale);
unsigned arc4random(void);
}
