#pragma once

#include <string>

#include "api/schema/model.h"
#include "json/value.h"

namespace proa::api {

// Why the result of a strategic merge patch cannot be read into its type, in the words of
// upstream's converter, which reads maps instead of text: "cannot restore struct from: string". The
// first error in the order of the type's fields; empty if there is none.
std::string find_restore_error(const json::Value& patched, const Type& type);

}  // namespace proa::api
