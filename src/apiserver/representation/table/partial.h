#pragma once

#include <string>
#include <string_view>

#include "api/codec/protobuf/wire.h"
#include "api/schema/schema.h"
#include "apiserver/representation/table/list_head.h"
#include "base/result.h"

// PartialObjectMetadata and lists of it. `version` is that of meta.k8s.io, "v1" or "v1beta1";
// `object` is the stored text. The metadata is copied from it; JSON output needs no parsing.

namespace proa::apiserver {

// The position of the metadata in an object's text.
struct MetadataText {
  std::string_view all = "{}";
  std::string_view managed_fields;    // often the larger part; empty if there are none
  std::string_view resource_version;  // unquoted
};
MetadataText find_metadata(std::string_view object);

// `metadata` is find_metadata().all.
void write_partial(std::string& out, std::string_view metadata, std::string_view version);

std::string partial_json(std::string_view object, std::string_view version);
// Enveloped.
Result<std::string> partial_protobuf(std::string_view object, std::string_view version,
                                     const api::Schema& schema);

class PartialListJson {
 public:
  PartialListJson(const ListHead& head, std::string_view version);

  void add(std::string_view object);
  // Finishes the list.
  std::string take();

 private:
  const std::string version_;
  std::string text_;
  bool empty_ = true;
};

class PartialListProtobuf {
 public:
  PartialListProtobuf(const ListHead& head, std::string_view version, const api::Schema& schema);

  Result<void> add(std::string_view object);
  // Finishes the list; enveloped.
  Result<std::string> take();

 private:
  const api::Type& object_meta_;
  const api::Type& list_meta_;
  const std::string version_;
  std::string head_;   // the list's metadata as JSON
  std::string items_;  // encoded fields of the message
};

}  // namespace proa::apiserver
