#pragma once

#include <string>
#include <string_view>

#include "api/codec/protobuf/wire.h"
#include "api/schema/schema.h"
#include "apiserver/representation/table/list_head.h"
#include "base/result.h"

// Objects without what they are for: PartialObjectMetadata and lists of it. `version` is that of
// meta.k8s.io, which is "v1" or "v1beta1"; `object` is an object's text as it is stored. The
// metadata is cut out of it; nothing is parsed where JSON is wanted.

namespace proa::apiserver {

// Where an object's metadata stands in its text.
struct MetadataText {
  std::string_view all = "{}";
  std::string_view managed_fields;    // often the larger part; empty when there are none
  std::string_view resource_version;  // without quotes
};
MetadataText find_metadata(std::string_view object);

// Of what stands in find_metadata().all.
void write_partial(std::string& out, std::string_view metadata, std::string_view version);

std::string partial_json(std::string_view object, std::string_view version);
// In its envelope.
Result<std::string> partial_protobuf(std::string_view object, std::string_view version,
                                     const api::Schema& schema);

class PartialListJson {
 public:
  PartialListJson(const ListHead& head, std::string_view version);

  void add(std::string_view object);
  // Ends it.
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
  // Ends it; in its envelope.
  Result<std::string> take();

 private:
  const api::Type& object_meta_;
  const api::Type& list_meta_;
  const std::string version_;
  std::string head_;   // the metadata of the list, as JSON
  std::string items_;  // as fields of the message
};

}  // namespace proa::apiserver
