#pragma once

#include <string>

#include "api/codec/protobuf/wire.h"
#include "api/schema/model.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::api {

// An object as upstream writes it in protobuf, byte for byte: fields ascending by number, scalars
// and messages that are no pointers always written, maps sorted. Members that the type does not
// have are left out.
//
// REQUIRES: a document as the decoders here give it, so that quantities are canonical. Values that
// do not fit their type fail with kBadRequest; they change nothing but the writer.
Result<std::string> to_protobuf(const json::Value& object, const Type& type);
Result<void> write_protobuf(ReverseWriter& writer, const json::Value& object, const Type& type);

}  // namespace proa::api
