#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "api/object/view.h"
#include "api/validation/field_errors.h"
#include "api/validation/names.h"

// Checks of single fields that many kinds share.

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

// Reports an error if the text is empty. Returns whether it is not.
bool require_text(View object, std::string_view name, const Path& path, FieldErrors& errors);

// Reports what `check` finds in the text, which may be empty.
void check_text(View text, api::NameCheck check, const Path& path, FieldErrors& errors);

// Required, and one of `supported`; messages list these in the given order.
void require_one_of(View text, std::initializer_list<std::string_view> supported, const Path& path,
                    FieldErrors& errors);
// The same for an optional field. An empty text is an unsupported value.
void check_one_of(View text, std::initializer_list<std::string_view> supported, const Path& path,
                  FieldErrors& errors);

void check_not_negative(View number, const Path& path, FieldErrors& errors);
// "must be between 0 and 255, inclusive"
void check_range(View number, int64_t least, int64_t most, const Path& path, FieldErrors& errors);
// A Unix user or group id.
void check_id(View number, const Path& path, FieldErrors& errors);
// The mode bits of a file.
void check_mode(View mode, const Path& path, FieldErrors& errors);

void check_no_backsteps(View file, const Path& path, FieldErrors& errors);
bool has_backsteps(std::string_view file);
// Relative, and without "..".
void check_descending(View file, const Path& path, FieldErrors& errors);
// And not starting with "..": volumes reserve such names.
void check_not_reserved(View file, const Path& path, FieldErrors& errors);

// A port by number or by name.
void check_port(View port, const Path& path, FieldErrors& errors);

bool contains(std::initializer_list<std::string_view> list, std::string_view text);

}  // namespace proa::kinds
