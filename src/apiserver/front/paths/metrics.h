#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/schema/schema.h"
#include "apiserver/front/paths/path_handler.h"
#include "apiserver/request/request_metrics.h"
#include "base/threads/pool.h"
#include "store/store.h"

namespace proa::apiserver {

// /metrics in Prometheus format, with upstream's metric names.
class MetricsPath final : public PathHandler {
 public:
  // All arguments outlive it. `version_document` is that of /version.
  MetricsPath(store::Store& store, const api::Schema& schema, const RequestMetrics& requests,
              std::string_view version_document, WorkerPool& pool);
  ~MetricsPath() override;

  std::optional<http::Response> answer(const http::RequestHead& head,
                                       const http::Target& target) override;

  // Text of other components, asked for each answer. REQUIRES: no request has come yet.
  void add(std::function<std::string()> more) { more_.push_back(std::move(more)); }

  // The whole text. Does not block.
  std::string text();

  // Of other parts of the server: called for every answer. REQUIRES: no request has been
  // handled yet.
  void collect(std::function<void(MetricsText&)> collector) {
    collectors_.push_back(std::move(collector));
  }

  // Takes long where much is stored: called before an answer, or after it and on the pool.
  // REQUIRES: as for collect(); outlives what is running on the pool.
  void measure(std::function<void()> measurement) {
    measurements_.push_back(std::move(measurement));
  }

 private:
  class ObjectCounts;

  store::Store& store_;
  const RequestMetrics& requests_;
  std::vector<std::function<void(MetricsText&)>> collectors_;
  std::vector<std::function<void()>> measurements_;
  const std::shared_ptr<ObjectCounts> counts_;
  WorkerPool& pool_;
  std::vector<std::string> build_;  // labels
  std::vector<std::function<std::string()>> more_;
};

}  // namespace proa::apiserver
