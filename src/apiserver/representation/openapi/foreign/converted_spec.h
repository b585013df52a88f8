#pragma once

#include <memory>
#include <string>

#include "apiserver/representation/openapi/foreign/foreign_spec.h"
#include "base/bytes.h"

namespace proa::apiserver {

struct ConvertedSpec {
  Bytes text;
  std::string hash;
};
using ConvertedSpecPtr = std::shared_ptr<const ConvertedSpec>;

// The OpenAPI 3.0 document, as JSON, of a server that has one of version 2 only: upstream's
// ConvertV2ToV3, with which something is lost. Unlike there, shared parameters are kept, and all
// references lead somewhere. Null if it is longer than 32 MiB: an operation has its schema once for
// each media type. Takes long: once per document.
ConvertedSpecPtr convert_to_version3(const ForeignSpec& spec);

}  // namespace proa::apiserver
