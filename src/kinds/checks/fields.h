#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "api/object/view.h"
#include "api/validation/field_errors.h"
#include "api/validation/names.h"

// What many checks of a pod's parts have in common.

namespace proa::kinds {

using api::FieldErrors;
using api::Path;
using api::View;

// Calls `check(item, path of the item)` for each item of a list.
template <typename Check>
void each(View list, const Path& path, Check check) {
  size_t index = 0;
  for (const View item : list.items()) check(item, path.index(index++));
}

// Adds an error where the text is empty; returns whether it is there.
bool require_text(View object, std::string_view name, const Path& path, FieldErrors& errors);

// Adds what that check says about a text, which may be empty.
void check_text(View text, api::NameCheck check, const Path& path, FieldErrors& errors);

// Required, and one of these, in the order in which they shall be read.
void require_one_of(View text, std::initializer_list<std::string_view> supported, const Path& path,
                    FieldErrors& errors);
// The same where it may be absent; empty text is just another wrong value.
void check_one_of(View text, std::initializer_list<std::string_view> supported, const Path& path,
                  FieldErrors& errors);

void check_not_negative(View number, const Path& path, FieldErrors& errors);
// "must be between 0 and 255, inclusive"
void check_range(View number, int64_t least, int64_t most, const Path& path, FieldErrors& errors);
// A Unix user or group.
void check_id(View number, const Path& path, FieldErrors& errors);
// The bits of a file's mode.
void check_mode(View mode, const Path& path, FieldErrors& errors);

void check_no_backsteps(View file, const Path& path, FieldErrors& errors);
bool has_backsteps(std::string_view file);
// Relative, and without "..".
void check_descending(View file, const Path& path, FieldErrors& errors);
// And not starting with "..", which volumes keep for themselves.
void check_not_reserved(View file, const Path& path, FieldErrors& errors);

// A port by number or by name.
void check_port(View port, const Path& path, FieldErrors& errors);

bool contains(std::initializer_list<std::string_view> list, std::string_view text);

}  // namespace proa::kinds
