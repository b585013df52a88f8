#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "apiserver/front/paths/path_handler.h"
#include "apiserver/objects/catalogue/catalogue.h"
#include "apiserver/representation/discovery/discovery.h"
#include "apiserver/representation/openapi/openapi.h"
#include "apiserver/streaming/aggregation/aggregation.h"
#include "base/clock.h"
#include "base/threads/mutex.h"

namespace proa::apiserver {

// Discovery, legacy and aggregated, and the OpenAPI documents.
class DocumentPaths final : public PathHandler {
 public:
  // All outlive it.
  struct Context {
    Catalogue& catalogue;
    Aggregation* aggregation = nullptr;  // null: no other servers answer
    const Clock& clock;
  };
  // `version`: of the API, "1.36".
  DocumentPaths(const Context& context, std::string server_address, std::string version);

  std::optional<http::Response> answer(const http::RequestHead& head,
                                       const http::Target& target) override;
  // OpenAPI documents are long, and made of all definitions.
  bool takes_long(const http::Target& target) const override;
  void answer_long(const http::ExchangePtr& exchange, const http::Target& target) override;

 private:
  // Of the resources at one moment. Discovery is made when it is asked for the first time: those
  // who read OpenAPI after each of many changes do not wait for it.
  struct Documents {
    // `before`: null if they are the first. `others`: null if there are none.
    Documents(const DocumentPaths& paths, ServedResourcesPtr served, ExtensionDocumentsPtr others,
              Documents* before);
    bool are_of(const ServedResources& served, const ExtensionDocuments* others) const;

    // Null if there is none. REQUIRES: a path of discovery.
    const Discovery::Document* find(const std::string& path, bool aggregated);
    const Discovery& discovery();

    const DocumentPaths& paths;
    const ServedResourcesPtr served;
    const ExtensionDocumentsPtr others;
    OpenApi openapi;

   private:
    std::once_flag made_;
    std::optional<Discovery> discovery_;
  };

  std::shared_ptr<Documents> current() EXCLUDES(mutex_);
  static std::optional<http::Response> answer_discovery(Documents& made,
                                                        const http::RequestHead& head,
                                                        const std::string& path);

  const Context context_;
  const std::string server_address_;
  const std::string version_;
  Mutex mutex_;
  std::shared_ptr<Documents> documents_ GUARDED_BY(mutex_);
};

}  // namespace proa::apiserver
