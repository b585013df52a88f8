#include "apiserver/streaming/streams/translated_connection.h"

#include "http/websocket/websocket.h"

namespace proa::apiserver {
namespace translated_connection {

using http::Socket;
using http::WebSocket;

// Unsent bytes to one side at which reading from the other pauses.
constexpr size_t kHighWater = 256 * 1024;
// More than clients send in one message.
constexpr size_t kMaxInMessage = 4 * 1024 * 1024;
constexpr uint16_t kNormalClosure = 1000;

// Owns itself until one side disconnects.
class Tie final : public std::enable_shared_from_this<Tie>, private WebSocket::Events {
 public:
  Tie(ClientSide client, http::Upgraded node, std::unique_ptr<StreamTranslator> translator,
      Random& random, std::function<void()> over)
      : loop_(client.socket->loop()),
        client_(std::move(client.socket), http::WebSocketCodec::Role::kServer, kMaxInMessage,
                random, *this),
        node_(*this, std::move(node.socket)),
        translator_(std::move(translator)),
        over_(std::move(over)) {}

  void start(std::string_view from_client, std::string_view from_node) {
    self_ = shared_from_this();
    const auto self = self_;
    translator_->begin();
    const bool ended = node_.socket->end_delivered();
    node_.socket->set_events(node_);
    if (!from_node.empty()) node_.on_data(from_node);
    if (ended) node_.on_end();
    client_.start(from_client);
    pump();
  }

  void finish() {
    if (!self_) return;
    const auto self = std::move(self_);
    if (over_) std::exchange(over_, nullptr)();
    // The sockets are destroyed from the loop, not within their own callbacks.
    loop_.post([self] {});
  }

 private:
  struct NodeSide final : Socket::Events {
    NodeSide(Tie& owner, std::unique_ptr<Socket> owned) : tie(owner), socket(std::move(owned)) {}

    void on_data(std::string_view bytes) override {
      if (!tie.translator_->from_node(bytes).ok()) return on_end();
      tie.pump();
    }
    void on_drained() override { tie.pump(); }
    void on_end() override {
      tie.translator_->node_ended();
      tie.pump();
    }
    void on_closed(const Status&) override { on_end(); }

    Tie& tie;
    std::unique_ptr<Socket> socket;
  };

  void on_message(WebSocket::Kind, std::string_view message) override {
    if (!translator_->from_client(message).ok()) return finish();
    pump();
  }
  void on_drained() override { pump(); }
  void on_closed(uint16_t, std::string_view) override { finish(); }

  // Sends the translator's output to both sides.
  void pump() {
    if (!self_) return;
    if (std::string bytes = translator_->take_for_node(); !bytes.empty()) {
      node_.socket->write(Bytes(std::move(bytes)));
      node_.socket->flush();
    }
    for (const std::string& message : translator_->take_for_client()) {
      client_.send(WebSocket::Kind::kBinary, message);
    }
    if (translator_->is_over()) {
      if (!std::exchange(closing_, true)) client_.close(kNormalClosure, {});
      node_.socket->pause();
      return;
    }
    client_.unsent() > kHighWater ? node_.socket->pause() : node_.socket->resume();
    node_.socket->unsent() > kHighWater ? client_.pause() : client_.resume();
  }

  http::Loop& loop_;
  WebSocket client_;
  NodeSide node_;
  const std::unique_ptr<StreamTranslator> translator_;
  std::function<void()> over_;
  bool closing_ = false;
  std::shared_ptr<Tie> self_;
};

}  // namespace translated_connection

std::function<void()> splice_translated(ClientSide client, http::Upgraded node,
                                        std::unique_ptr<StreamTranslator> translator,
                                        Random& random, std::function<void()> over) {
  const std::string_view from_client = client.early;
  const std::string from_node = node.early;
  const auto made = std::make_shared<translated_connection::Tie>(
      std::move(client), std::move(node), std::move(translator), random, std::move(over));
  made->start(from_client, from_node);
  return [weak = std::weak_ptr(made)] {
    if (const auto live = weak.lock()) live->finish();
  };
}

}  // namespace proa::apiserver
