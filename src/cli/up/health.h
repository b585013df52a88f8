#pragma once

#include <atomic>
#include <string_view>

#include "base/bytes.h"
#include "http/server/exchange.h"

namespace proa::cli {

// Answers what can be asked of a Proa without an API: /livez, /readyz, /healthz and /version. All
// from memory, on the loop's thread.
class HealthHandler final : public http::Handler {
 public:
  HealthHandler();

  void handle(http::ExchangePtr exchange) override;
  http::Response answer(std::string_view method, std::string_view path) const;
  // Ready from the end of the start to the begin of the stop. From any thread.
  void set_ready(bool ready) { ready_.store(ready, std::memory_order_relaxed); }

 private:
  const Bytes version_;
  std::atomic<bool> ready_{false};
};

}  // namespace proa::cli
