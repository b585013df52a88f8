#pragma once

#include "api/schema/parse.h"

namespace proa::api {

// The files of schema/, which the program carries inside.
std::span<const SchemaFile> builtin_schema_files();

// All types of Kubernetes that this program knows. Read once, by whoever asks first.
const Schema& builtin_schema();

}  // namespace proa::api
