#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace proa::apiserver {

// One entry of an Accept header.
struct AcceptOffer {
  std::string type;     // in lower case
  std::string as;       // "Table"
  std::string group;    // g=
  std::string version;  // v=
  double quality = 1;
};
// The most wanted first.
std::vector<AcceptOffer> accept_offers(std::string_view accept);

enum class Encoding : uint8_t { kJson, kYaml, kProtobuf };

// In which form an object is wanted.
enum class Form : uint8_t {
  kObject,
  kTable,        // as=Table
  kPartial,      // as=PartialObjectMetadata
  kPartialList,  // as=PartialObjectMetadataList
};

// What a client can read, of what we can write.
struct Media {
  Encoding encoding = Encoding::kJson;
  Form form = Form::kObject;
  bool pretty = false;
  bool stream = false;       // stream=watch
  std::string form_version;  // "v1" or "v1beta1" of meta.k8s.io, where a form is asked for

  // "application/json", "application/vnd.kubernetes.protobuf;stream=watch"
  std::string content_type(bool watching) const;
};

// The first of the Accept header that we can write. kNotAcceptable when there is none.
// `has_tables`: what is asked for can be shown as one.
Result<Media> choose_media(std::string_view accept, bool watching, bool has_tables = true);

}  // namespace proa::apiserver
