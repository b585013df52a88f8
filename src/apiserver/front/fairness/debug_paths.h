#pragma once

#include "apiserver/front/fairness/flow_control.h"
#include "apiserver/front/paths/path_handler.h"

namespace proa::apiserver::fairness {

// /debug/api_priority_and_fairness/: what executes and what waits, as upstream prints it.
class DebugPaths final : public PathHandler {
 public:
  // REQUIRES: `control` outlives it.
  explicit DebugPaths(const FlowControl& control) : control_(control) {}

  std::optional<http::Response> answer(const http::RequestHead& head,
                                       const http::Target& target) override;
  bool takes_long(const http::Target& target) const override;
  void answer_long(const http::ExchangePtr& exchange, const http::Target& target) override;

 private:
  std::string dump(const http::Target& target) const;

  const FlowControl& control_;
};

}  // namespace proa::apiserver::fairness
