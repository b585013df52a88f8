#pragma once

#include <string_view>

#include "apiserver/front/paths/path_handler.h"
#include "base/metrics/labelled.h"

namespace proa::apiserver {

// /metrics/slis: how often health checks succeeded and failed, with upstream's names.
class SlisPath final : public PathHandler {
 public:
  SlisPath();

  // A check of an endpoint ("livez") has been run.
  void observe(std::string_view check, std::string_view endpoint, bool ok);

  std::optional<http::Response> answer(const http::RequestHead& head,
                                       const http::Target& target) override;

 private:
  Labelled<Gauge> last_;
  Labelled<Counter> total_;
};

}  // namespace proa::apiserver
