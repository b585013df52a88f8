#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace proa::apiserver {

// One entry of an Accept header; refers to it.
struct AcceptOffer {
  std::string_view type;
  std::string_view as;       // "Table"
  std::string_view group;    // g=
  std::string_view version;  // v=
  double quality = 1;
};
// The value of a parameter q; 1 if it cannot be read.
double accept_quality(std::string_view text);
// By descending preference.
std::vector<AcceptOffer> accept_offers(std::string_view accept);

enum class Encoding : uint8_t { kJson, kYaml, kProtobuf };

// The requested form of an object.
enum class Form : uint8_t {
  kObject,
  kTable,        // as=Table
  kPartial,      // as=PartialObjectMetadata
  kPartialList,  // as=PartialObjectMetadataList
};

// The negotiated representation.
struct Media {
  Encoding encoding = Encoding::kJson;
  Form form = Form::kObject;
  bool pretty = false;
  bool stream = false;       // stream=watch
  std::string form_version;  // "v1" or "v1beta1" of meta.k8s.io, if a form is requested

  // "application/json", "application/vnd.kubernetes.protobuf;stream=watch"
  std::string content_type(bool watching) const;
};

// Whether a path that produces objects, or lists and watches, is asked for what it produces, as
// upstream's router sees it: parameters do not count, and only */* stands for others. Fails with
// kNotAcceptable.
Result<void> check_produced(std::string_view accept, bool lists);
// The same for other documents.
Result<void> check_produced(std::string_view accept, std::span<const std::string_view> produced);

// What a resource can be shown as, besides JSON and its metadata.
struct Forms {
  bool tables = true;
  bool protobuf = true;  // of the object itself: metadata always has a message
};

// The first supported media type of the Accept header. Fails with kNotAcceptable if there is none.
Result<Media> choose_media(std::string_view accept, bool watching, const Forms& forms = {});

// The encoding of failures: objects of their own, which have no other forms. JSON if no other is
// accepted.
Encoding choose_failure_encoding(std::string_view accept);

}  // namespace proa::apiserver
