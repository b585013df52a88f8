#include "http/client/grpc.h"

#include <utility>

namespace proa::http {
namespace grpc {

// Whether the response can carry messages; else its failure.
Result<void> check_head(const ResponseHead& head) {
  if (head.status != 200) return *grpc_failure({head.status, {}}, {});
  const std::string_view type = head.headers.get("content-type");
  if (type.rfind("application/grpc", 0) != 0) {
    return grpc_status(GrpcCode::kUnknown,
                       "answered with content type \"" + std::string(type) + "\"");
  }
  const std::string_view encoding = head.headers.get("grpc-encoding");
  if (!encoding.empty() && encoding != "identity") {
    return grpc_status(GrpcCode::kUnimplemented,
                       "the response has an encoding that was not offered");
  }
  return {};
}

Origin over_http2(Origin origin) {
  origin.protocol = HttpProtocol::kHttp2;
  return origin;
}

Status cut_short() {
  return grpc_status(GrpcCode::kInternal, "the response ended in the middle of a message");
}

}  // namespace grpc

GrpcStream::GrpcStream(std::unique_ptr<BlockingCall> call, const GrpcOptions& options)
    : call_(std::move(call)), reader_(options.max_message) {}

Result<void> GrpcStream::send(std::string_view message, const Until& until) {
  return call_->write(print_grpc_frame(message), until);
}

Result<std::optional<Bytes>> GrpcStream::receive(const Until& until) {
  if (!head_) {
    ResponseHead head = TRY(call_->head(until));
    TRY(grpc::check_head(head));
    head_ = std::move(head);
  }
  while (true) {
    if (auto message = reader_.next()) return message;
    const auto part = TRY(call_->read(until));
    if (!part) break;
    TRY(reader_.feed(part->view()));
  }
  if (auto failure = grpc_failure(*head_, call_->trailers())) return *failure;
  if (!reader_.at_boundary()) return grpc::cut_short();
  return std::optional<Bytes>();
}

// Turns body bytes into messages. Loop thread only.
class GrpcCall::Reader final : public CallEvents {
 public:
  Reader(std::shared_ptr<GrpcEvents> events, size_t max_message)
      : events_(std::move(events)), reader_(max_message) {}

  void set_paused(bool paused) {
    paused_ = paused;
    deliver();
  }
  void stop() { events_ = nullptr; }

 private:
  void on_start(const std::shared_ptr<ClientCall>& call) override { call_ = call; }
  void on_head(ResponseHead head) override {
    if (const auto good = grpc::check_head(head); !good.ok()) return refuse(good.status());
    head_ = std::move(head);
  }
  void on_body(std::string_view bytes) override {
    if (events_ == nullptr) return;
    unread_ += bytes.size();
    if (const auto fed = reader_.feed(bytes); !fed.ok()) return refuse(fed.status());
    deliver();
  }
  void on_end(Headers trailers) override {
    over_ = true;
    failure_ = grpc_failure(head_, trailers);
    if (!failure_ && !reader_.at_boundary()) failure_ = grpc::cut_short();
    deliver();
  }
  void on_error(const Status& why) override {
    over_ = true;
    failure_ = why;
    deliver();
  }

  void deliver() {
    while (events_ != nullptr && !paused_) {
      auto message = reader_.next();
      if (!message) break;
      const auto events = events_;
      events->on_message(std::move(*message));
    }
    if (events_ == nullptr || paused_) return;
    if (over_) return end();
    if (const auto call = call_.lock()) call->consume(std::exchange(unread_, 0));
  }
  void refuse(const Status& why) {
    if (const auto call = call_.lock()) call->cancel();
    failure_ = why;
    end();
  }
  void end() {
    if (const auto events = std::exchange(events_, nullptr)) events->on_end(failure_);
  }

  std::shared_ptr<GrpcEvents> events_;
  GrpcFrameReader reader_;
  std::weak_ptr<ClientCall> call_;
  ResponseHead head_;
  std::optional<Status> failure_;
  size_t unread_ = 0;  // bytes not yet consumed
  bool paused_ = false;
  bool over_ = false;
};

GrpcCall::GrpcCall(std::shared_ptr<Reader> reader, std::shared_ptr<ClientCall> call)
    : reader_(std::move(reader)), call_(std::move(call)) {}

void GrpcCall::pause() {
  call_->loop().run([reader = reader_] { reader->set_paused(true); });
}

void GrpcCall::resume() {
  call_->loop().run([reader = reader_] { reader->set_paused(false); });
}

void GrpcCall::cancel() {
  call_->loop().run([reader = reader_, call = call_] {
    reader->stop();
    call->cancel();
  });
}

GrpcChannel::GrpcChannel(Client& client, Origin origin, GrpcOptions options)
    : client_(client), origin_(grpc::over_http2(std::move(origin))), options_(options) {}

ClientRequest GrpcChannel::request(std::string_view method, const Headers& metadata,
                                   Steady deadline) const {
  ClientRequest request{.origin = origin_,
                        .method = "POST",
                        .target = std::string(method),
                        .headers = {},
                        .body = {}};
  request.headers.add("content-type", "application/grpc");
  request.headers.add("te", "trailers");
  request.headers.add("user-agent", "proa");
  if (deadline != Steady::max()) {
    request.headers.add("grpc-timeout", print_grpc_timeout(deadline - client_.clock().steady()));
  }
  for (const auto& [name, value] : metadata) request.headers.add(name, value);
  return request;
}

Result<Bytes> GrpcChannel::unary(std::string_view method, std::string_view message,
                                 const Until& until, const Headers& metadata) {
  ClientRequest whole = request(method, metadata, until.deadline);
  whole.body = Bytes(print_grpc_frame(message));
  GrpcStream stream(client_.open(std::move(whole)), options_);
  auto answer = TRY(stream.receive(until));
  if (!answer)
    return grpc_status(GrpcCode::kInternal, "the call succeeded without a response message");
  const auto more = TRY(stream.receive(until));
  if (more)
    return grpc_status(GrpcCode::kInternal, "a unary call got more than one response message");
  return std::move(*answer);
}

std::unique_ptr<GrpcStream> GrpcChannel::open(std::string_view method, const Headers& metadata,
                                              Steady deadline) {
  ClientRequest streaming = request(method, metadata, deadline);
  streaming.streams_body = true;
  return std::make_unique<GrpcStream>(client_.open(std::move(streaming)), options_);
}

GrpcCall GrpcChannel::start(std::string_view method, std::shared_ptr<GrpcEvents> events,
                            const Headers& metadata) {
  ClientRequest streaming = request(method, metadata, Steady::max());
  streaming.streams_body = true;
  auto reader = std::make_shared<GrpcCall::Reader>(std::move(events), options_.max_message);
  auto call = client_.start(std::move(streaming), reader);
  return {std::move(reader), std::move(call)};
}

}  // namespace proa::http
