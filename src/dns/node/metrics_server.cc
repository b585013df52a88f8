#include "dns/node/metrics_server.h"

#include <algorithm>

#include "base/process/capacity.h"
#include "base/threads/mutex.h"

namespace proa::dns {

class MetricsServer::Pages final : public http::Handler {
 public:
  Pages(const Metrics& metrics, Access& access) : metrics_(metrics), access_(access) {}

  void handle(http::ExchangePtr exchange) override {
    if (!allows(exchange->peer().address)) {
      return answer(exchange, 403, "text/plain; charset=utf-8", "403 forbidden\n");
    }
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

  void set_cluster(std::vector<IpPrefix> ranges) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    cluster_ = std::move(ranges);
  }

 private:
  bool allows(const std::string& text) EXCLUDES(mutex_) {
    const auto peer = parse_ip(text);
    if (!peer) return false;
    if (access_.allows_connection(*peer)) return true;
    MutexLock lock(mutex_);
    return std::ranges::any_of(cluster_,
                               [&](const IpPrefix& range) { return range.contains(*peer); });
  }

  static void answer(const http::ExchangePtr& exchange, int status, std::string_view type,
                     std::string body) {
    exchange->respond(
        {.status = status,
         .headers = {{"content-type", std::string(type)}, {"x-content-type-options", "nosniff"}},
         .body = Bytes(std::move(body)),
         .trailers = {}});
  }

  const Metrics& metrics_;
  Access& access_;
  Mutex mutex_;
  std::vector<IpPrefix> cluster_ GUARDED_BY(mutex_);
};

MetricsServer::MetricsServer(http::LoopGroup& loops, const Metrics& metrics, Access& access)
    : pages_(std::make_unique<Pages>(metrics, access)),
      server_(loops, *pages_, http::limits_for(process_capacity())) {}

MetricsServer::~MetricsServer() = default;

Result<int> MetricsServer::listen(int port) {
  const http::Endpoint at = TRY(
      server_.listen({.address = "0.0.0.0", .port = port, .unix_path = {}, .both_families = true}));
  return at.port;
}

void MetricsServer::set_cluster(std::vector<IpPrefix> ranges) {
  pages_->set_cluster(std::move(ranges));
}

}  // namespace proa::dns
