#pragma once

#include "api/schema/schema.h"
#include "apiserver/front/paths/path_handler.h"
#include "apiserver/representation/discovery/discovery.h"
#include "apiserver/representation/openapi/openapi.h"
#include "base/clock.h"

namespace proa::apiserver {

// Discovery, legacy and aggregated, and the OpenAPI documents.
class DocumentPaths final : public PathHandler {
 public:
  // `version`: of the API, "1.36". REQUIRES: `schema` and `clock` outlive it.
  DocumentPaths(const api::Schema& schema, const Clock& clock, std::string server_address,
                std::string version);

  std::optional<http::Response> answer(const http::RequestHead& head,
                                       const http::Target& target) override;

 private:
  // Null if there is none. REQUIRES: a path of discovery.
  const Discovery::Document* find_document(const std::string& path, bool aggregated) const;
  std::optional<http::Response> answer_discovery(const http::RequestHead& head,
                                                 const std::string& path) const;

  const Clock& clock_;
  const Discovery discovery_;
  OpenApi openapi_;
};

}  // namespace proa::apiserver
