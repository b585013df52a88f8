#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "apiserver/representation/openapi/foreign/foreign_spec.h"
#include "apiserver/representation/openapi/kept/kept_parts.h"
#include "apiserver/representation/openapi/sections.h"

namespace proa::apiserver {

// A document that is put together while it is sent: with many custom resources it is too long to be
// in memory.
class LongDocument {
 public:
  virtual ~LongDocument() = default;
  // Appends about `bytes` of what follows; false if that was the end.
  virtual bool next(std::string& out, size_t bytes) = 0;
};

// The Swagger 2.0 document of the whole API, some megabytes without custom resources: as JSON, or
// as gnostic's protobuf message (openapi.v2.Document), which clients request. Makes what is not
// kept of custom resources: next() does not take long. `foreign`: parts of other servers. REQUIRES:
// the resources outlive it.
std::unique_ptr<LongDocument> openapi_v2_document(std::span<const Section> sections,
                                                  const CommonTypes& types,
                                                  std::string_view version,
                                                  DocumentEncoding encoding,
                                                  std::span<const ForeignSpecPtr> foreign = {});

}  // namespace proa::apiserver
