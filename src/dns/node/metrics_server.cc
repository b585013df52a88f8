#include "dns/node/metrics_server.h"

#include "base/process/capacity.h"

namespace proa::dns {

class MetricsServer::Pages final : public http::Handler {
 public:
  explicit Pages(const Metrics& metrics) : metrics_(metrics) {}

  void handle(http::ExchangePtr exchange) override {
    const std::string_view target = exchange->request().target;
    const std::string_view path = target.substr(0, target.find('?'));
    if (path == "/metrics") {
      answer(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", metrics_.text());
    } else if (path == "/health") {
      answer(exchange, 200, "text/plain; charset=utf-8", "OK");
    } else {
      answer(exchange, 404, "text/plain; charset=utf-8", "404 page not found\n");
    }
  }

 private:
  static void answer(const http::ExchangePtr& exchange, int status, std::string_view type,
                     std::string body) {
    exchange->respond(
        {.status = status,
         .headers = {{"content-type", std::string(type)}, {"x-content-type-options", "nosniff"}},
         .body = Bytes(std::move(body)),
         .trailers = {}});
  }

  const Metrics& metrics_;
};

MetricsServer::MetricsServer(http::LoopGroup& loops, const Metrics& metrics)
    : pages_(std::make_unique<Pages>(metrics)),
      server_(loops, *pages_, http::limits_for(process_capacity())) {}

MetricsServer::~MetricsServer() = default;

Result<int> MetricsServer::listen(int port) {
  const http::Endpoint at = TRY(
      server_.listen({.address = "0.0.0.0", .port = port, .unix_path = {}, .both_families = true}));
  return at.port;
}

}  // namespace proa::dns
