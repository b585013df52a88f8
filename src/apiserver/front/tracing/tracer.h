#pragma once

#include <memory>
#include <optional>
#include <string>

#include "apiserver/front/tracing/configuration.h"
#include "apiserver/front/tracing/span_exporter.h"
#include "apiserver/request/request.h"
#include "apiserver/request/route.h"
#include "base/clock.h"
#include "base/random.h"
#include "http/net/loop.h"
#include "http/server/exchange.h"

namespace proa::apiserver::tracing {

struct Options {
  Configuration configuration;
  std::string instance;  // the name of this server among several
};

class RequestTrace;

// Decides which requests are traced, and passes their spans to the collector. Traces share it, and
// may outlive the server; after stop() their spans are lost. Thread-safe.
class Tracer : public std::enable_shared_from_this<Tracer> {
 public:
  // All references outlive the last call before stop().
  static std::shared_ptr<Tracer> make(const Options& options, Clock& clock, Random& random,
                                      http::LoopGroup& loops);
  // The same with another way to the collector.
  static std::shared_ptr<Tracer> make(const Options& options, Clock& clock, Random& random,
                                      SpanExporter::Send send,
                                      const SpanExporter::Options& batches = {});
  ~Tracer();

  // A request has arrived. Null: it is not traced. Otherwise the response is to be observed by the
  // trace. A traceparent of others than members of system:masters and system:monitoring does not
  // decide, and is only linked to. `audit_id`: empty if it is not audited.
  std::shared_ptr<RequestTrace> begin(const http::Exchange& exchange,
                                      const std::optional<Route>& route, const User& user,
                                      std::string_view audit_id);

  // Sends what is queued, for a limited time.
  void stop();
  void write(MetricsText& text) const { exporter_->write(text); }

 private:
  friend class RequestTrace;
  struct Transport;
  Tracer(uint32_t sampled_per_million, Clock& clock, Random& random);

  SpanId new_id();

  const uint32_t sampled_per_million_;
  Clock& clock_;
  // IDs are no secrets.
  SeededRandom ids_;
  std::unique_ptr<Transport> transport_;  // null in tests
  std::unique_ptr<SpanExporter> exporter_;
};

// The trace of one request, from its arrival to its end, which is that of this object: it is held
// by the exchange and by all who work on the request. Thread-safe.
class RequestTrace final : public http::ResponseObserver, public Trace {
 public:
  // For Tracer::begin().
  RequestTrace(std::shared_ptr<Tracer> tracer, Span root);
  ~RequestTrace() override;

  // Trace
  void begin_step(std::string_view name) override EXCLUDES(mutex_);
  void end_step() override EXCLUDES(mutex_);
  void note(std::string_view key, std::string value) override EXCLUDES(mutex_);

  // http::ResponseObserver
  void on_response(const http::Response&) override {}
  void on_head(http::ResponseHead& head) override EXCLUDES(mutex_);
  void on_part(const Bytes& bytes) override EXCLUDES(mutex_);
  void on_thrown(const Status& why) override EXCLUDES(mutex_);

 private:
  const std::shared_ptr<Tracer> tracer_;
  Mutex mutex_;
  std::vector<Span> spans_ GUARDED_BY(mutex_);   // the request itself is the first
  std::vector<size_t> open_ GUARDED_BY(mutex_);  // the open steps, the innermost last
  size_t left_out_ GUARDED_BY(mutex_) = 0;       // open steps that are not recorded
  int code_ GUARDED_BY(mutex_) = 0;
  uint64_t sent_ GUARDED_BY(mutex_) = 0;
};

}  // namespace proa::apiserver::tracing
