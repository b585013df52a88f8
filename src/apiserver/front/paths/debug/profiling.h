#pragma once

#include "apiserver/front/paths/path_handler.h"
#include "base/clock.h"

namespace proa::apiserver {

// /debug/pprof/: profiles of this process, as Go's net/http/pprof serves them.
class ProfilingPaths final : public PathHandler {
 public:
  // The clock outlives it.
  explicit ProfilingPaths(Clock& clock) : clock_(clock) {}

  std::optional<http::Response> answer(const http::RequestHead& head,
                                       const http::Target& target) override;
  bool takes_long(const http::Target& target) const override;
  void answer_long(const http::ExchangePtr& exchange, const http::Target& target) override;

 private:
  void profile_cpu(const http::ExchangePtr& exchange, const http::Target& target);
  http::Response profile_heap(const http::Target& target);

  Clock& clock_;
};

}  // namespace proa::apiserver
