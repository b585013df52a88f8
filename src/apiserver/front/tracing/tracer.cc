#include "apiserver/front/tracing/tracer.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "apiserver/front/tracing/otlp.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "http/client/client.h"
#include "http/client/grpc.h"

namespace proa::apiserver::tracing {
namespace tracer {

// Of one request: deletions of many objects have a step for each.
constexpr size_t kMostSpans = 64;
// Of a text that a client chooses.
constexpr size_t kMostText = 2048;
constexpr int kHttpsPort = 443;
constexpr int kHttpPort = 80;

constexpr std::array<std::string_view, 9> kMethods = {"CONNECT", "DELETE", "GET", "HEAD", "OPTIONS",
                                                      "PATCH",   "POST",   "PUT", "TRACE"};

// Headers may have any bytes, but collectors refuse a whole batch for one string that is not UTF-8.
std::string cut(std::string_view text) { return valid_utf8(text, kMostText); }

// As upstream's notSystemPrivilegedGroup.
bool may_decide(const User& user) {
  return user.in_group("system:masters") || user.in_group("system:monitoring");
}

// As upstream's getSpanNameFromRequestInfo.
std::string name_of(const std::string& method, const std::optional<Route>& route) {
  if (!route) return cut(method);
  std::string name = cut(method);
  name += route->group.empty() ? " /api" : " /apis/" + std::string(route->group);
  name += "/" + std::string(route->version);
  if (!route->name_space.empty()) name += "/namespaces/{:namespace}";
  name += "/" + std::string(route->resource);
  if (!route->name.empty()) name += "/{:name}";
  if (!route->subresource.empty()) name += "/" + std::string(route->subresource);
  return cut(name);
}

// "host:port" as the client wrote it; no port: zero.
std::pair<std::string_view, int> split_authority(std::string_view authority) {
  const size_t colon = authority.rfind(':');
  std::string_view host = authority;
  int port = 0;
  if (colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos) {
    const std::string_view digits = authority.substr(colon + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), port);
    host = authority.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host, port};
}

std::string_view version_name(http::Version version) {
  switch (version) {
    case http::Version::kHttp10:
      return "1.0";
    case http::Version::kHttp11:
      return "1.1";
    case http::Version::kHttp2:
      return "2.0";
  }
  return "";
}

// The names of OpenTelemetry's conventions for HTTP servers, and the two that upstream adds.
std::vector<Attribute> attributes_of(const http::Exchange& exchange, std::string_view audit_id) {
  const http::RequestHead& head = exchange.request();
  std::vector<Attribute> all;
  const auto add = [&](std::string_view key, std::string_view text) {
    if (!text.empty()) all.push_back({key, cut(text)});
  };
  const auto [host, port] = split_authority(head.authority);
  all.push_back({"server.address", cut(host)});
  const bool known = std::ranges::find(kMethods, head.method) != kMethods.end();
  add("http.request.method", known ? std::string_view(head.method) : "GET");
  if (!known) add("http.request.method_original", head.method);
  add("url.scheme", exchange.peer().secure ? "https" : "http");
  if (port > 0 && port != (exchange.peer().secure ? kHttpsPort : kHttpPort))
    all.push_back({"server.port", int64_t{port}});
  const std::string_view forwarded = head.headers.get("x-forwarded-for");
  const std::string& peer = exchange.peer().address;
  add("network.peer.address", peer);
  add("user_agent.original", head.headers.get("user-agent"));
  const std::string_view client = forwarded.substr(0, forwarded.find(','));
  add("client.address", client.empty() ? std::string_view(peer) : client);
  add("url.path", std::string_view(head.target).substr(0, head.target.find('?')));
  add("network.protocol.version", version_name(head.version));
  add("http.target", head.target);
  add("audit-id", audit_id);
  return all;
}

}  // namespace tracer

// The connection to the collector.
struct Tracer::Transport {
  Transport(http::LoopGroup& loops, Clock& clock, const http::Origin& collector)
      : client(loops, clock, {}), channel(client, collector) {}
  http::Client client;
  http::GrpcChannel channel;
};

std::shared_ptr<Tracer> Tracer::make(const Options& options, Clock& clock, Random& random,
                                     http::LoopGroup& loops) {
  auto transport = std::make_unique<Transport>(loops, clock, options.configuration.collector);
  auto made = make(options, clock, random,
                   [channel = &transport->channel](std::string_view message, const Until& until) {
                     return channel->unary(kExportMethod, message, until);
                   });
  made->transport_ = std::move(transport);
  return made;
}

std::shared_ptr<Tracer> Tracer::make(const Options& options, Clock& clock, Random& random,
                                     SpanExporter::Send send,
                                     const SpanExporter::Options& batches) {
  std::shared_ptr<Tracer> made(
      new Tracer(options.configuration.sampled_per_million, clock, random));
  made->exporter_ =
      std::make_unique<SpanExporter>(std::move(send), options.instance, clock, batches);
  return made;
}

Tracer::Tracer(uint32_t sampled_per_million, Clock& clock, Random& random)
    : sampled_per_million_(sampled_per_million), clock_(clock), ids_(random.next()) {}

Tracer::~Tracer() = default;

void Tracer::stop() {
  exporter_->stop();
  // Traces that end later must not find it: its loops end with the server.
  transport_.reset();
}

SpanId Tracer::new_id() {
  SpanId id{};
  ids_.fill(id);
  id.back() |= 1;  // zero would be none
  return id;
}

std::shared_ptr<RequestTrace> Tracer::begin(const http::Exchange& exchange,
                                            const std::optional<Route>& route, const User& user,
                                            std::string_view audit_id) {
  const http::RequestHead& head = exchange.request();
  const std::optional<RemoteSpan> remote = parse_traceparent(head.headers.get("traceparent"));
  Span root;
  if (remote && tracer::may_decide(user)) {
    if (!remote->sampled) return nullptr;
    root.trace = remote->trace;
    root.parent = remote->span;
  } else {
    ids_.fill(root.trace);
    if (!is_sampled(root.trace, sampled_per_million_)) return nullptr;
    root.link = remote;
  }
  root.id = new_id();
  root.name = tracer::name_of(head.method, route);
  root.serves = true;
  root.begin = clock_.now();
  root.attributes = tracer::attributes_of(exchange, audit_id);
  return std::make_shared<RequestTrace>(shared_from_this(), std::move(root));
}

RequestTrace::RequestTrace(std::shared_ptr<Tracer> tracer, Span root) : tracer_(std::move(tracer)) {
  spans_.push_back(std::move(root));
}

RequestTrace::~RequestTrace() {
  MutexLock lock(mutex_);
  const Time now = tracer_->clock_.now();
  Span& root = spans_.front();
  // Steps that nobody ended, for code that threw, end with the request.
  for (const size_t step : open_) spans_[step].end = now;
  root.end = now;
  if (sent_ > 0)
    root.attributes.push_back({"http.response.body.size", static_cast<int64_t>(sent_)});
  if (code_ > 0) root.attributes.push_back({"http.response.status_code", int64_t{code_}});
  root.failed = root.failed || code_ >= 500;
  tracer_->exporter_->push(std::move(spans_));
}

void RequestTrace::begin_step(std::string_view name) {
  MutexLock lock(mutex_);
  if (left_out_ > 0 || spans_.size() >= tracer::kMostSpans) {
    ++left_out_;
    return;
  }
  const Span& parent = spans_[open_.empty() ? 0 : open_.back()];
  Span step{.trace = parent.trace,
            .id = tracer_->new_id(),
            .parent = parent.id,
            .name = std::string(name),
            .begin = tracer_->clock_.now()};
  open_.push_back(spans_.size());
  spans_.push_back(std::move(step));
}

void RequestTrace::end_step() {
  MutexLock lock(mutex_);
  if (left_out_ > 0) {
    --left_out_;
  } else if (!open_.empty()) {
    spans_[open_.back()].end = tracer_->clock_.now();
    open_.pop_back();
  }
}

void RequestTrace::note(std::string_view key, std::string value) {
  MutexLock lock(mutex_);
  if (left_out_ > 0 || open_.empty() || value.empty()) return;
  spans_[open_.back()].attributes.push_back({key, tracer::cut(value)});
}

void RequestTrace::on_head(http::ResponseHead& head) {
  MutexLock lock(mutex_);
  code_ = head.status;
  int64_t length = 0;
  const std::string_view text = head.headers.get("content-length");
  std::from_chars(text.data(), text.data() + text.size(), length);
  sent_ = static_cast<uint64_t>(std::max<int64_t>(0, length));
}

void RequestTrace::on_part(const Bytes& bytes) {
  MutexLock lock(mutex_);
  sent_ += bytes.size();
}

void RequestTrace::on_thrown(const Status&) {
  MutexLock lock(mutex_);
  spans_.front().failed = true;
}

}  // namespace proa::apiserver::tracing
