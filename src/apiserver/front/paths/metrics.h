#pragma once

#include <memory>
#include <string>

#include "api/schema/schema.h"
#include "apiserver/front/paths/path_handler.h"
#include "apiserver/request/request_metrics.h"
#include "base/threads/pool.h"
#include "store/store.h"

namespace proa::apiserver {

// /metrics: how this server is doing, as Prometheus reads it, under upstream's names.
class MetricsPath final : public PathHandler {
 public:
  // Everything outlives it. `version_document`: what /version says.
  MetricsPath(store::Store& store, const api::Schema& schema, const RequestMetrics& requests,
              std::string_view version_document, WorkerPool& pool);
  ~MetricsPath() override;

  std::optional<http::Response> answer(const http::RequestHead& head,
                                       const http::Target& target) override;

  // The whole text. Does not wait.
  std::string text();

 private:
  class ObjectCounts;

  store::Store& store_;
  const RequestMetrics& requests_;
  const std::shared_ptr<ObjectCounts> counts_;
  WorkerPool& pool_;
  std::vector<std::string> build_;  // labels
};

}  // namespace proa::apiserver
