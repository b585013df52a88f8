#include "apiserver/objects/object_size.h"

#include "api/codec/protobuf/to_protobuf.h"

namespace proa::apiserver {

Result<void> check_object_size(const StoredText& text, const json::Value& object,
                               const api::Type& type, size_t max_bytes) {
  if (text.json.size() <= max_bytes) return {};
  if (type.has_proto && TRY(api::to_protobuf(object, type)).size() <= max_bytes) return {};
  return Status(Reason::kRequestEntityTooLarge, "etcdserver: request is too large");
}

}  // namespace proa::apiserver
