#pragma once

#include <string>

#include "api/codec/protobuf/wire.h"
#include "api/schema/model.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::api {

// An object as upstream encodes it in protobuf, byte for byte: fields ascending by number, scalars
// and non-pointer messages always written, maps sorted. Unknown members are omitted. REQUIRES: a
// document from the decoders here, so that quantities are canonical. Values that do not fit their
// type fail with kBadRequest.
Result<std::string> to_protobuf(const json::Value& object, const Type& type);
Result<void> write_protobuf(ReverseWriter& writer, const json::Value& object, const Type& type);

}  // namespace proa::api
