#pragma once

#include "apiserver/objects/keys.h"

namespace proa::apiserver {

// etcd's limit of a request, 1.5 MiB.
inline constexpr size_t kDefaultMaxObjectBytes = size_t{1536} << 10;

// Fails with kRequestEntityTooLarge, in etcd's words, if an object is larger than that. What counts
// is what upstream stores: protobuf for kinds that have it, which is smaller than JSON. `text` is
// that of `object`.
Result<void> check_object_size(const StoredText& text, const json::Value& object,
                               const api::Type& type, size_t max_bytes);

}  // namespace proa::apiserver
