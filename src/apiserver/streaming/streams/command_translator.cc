#include "apiserver/streaming/streams/command_translator.h"

#include <algorithm>
#include <map>
#include <utility>

#include "apiserver/representation/status.h"
#include "http/wire/spdy_codec.h"

namespace proa::apiserver {
namespace command_translator {

// Channel numbers of the client protocol.
constexpr unsigned char kInput = 0;
constexpr unsigned char kOutput = 1;
constexpr unsigned char kErrors = 2;
constexpr unsigned char kStatus = 3;
constexpr unsigned char kResize = 4;
// First byte of a two-byte message that closes the channel in the second byte.
constexpr unsigned char kClose = 255;
// The Status with a command's exit code is far shorter.
constexpr size_t kMaxStatus = 64 * 1024;

class Command final : public StreamTranslator, private http::SpdyCodec::Events {
 public:
  explicit Command(const CommandStreams& wanted) : wanted_(wanted) {
    // A terminal has one output stream.
    if (wanted_.tty) wanted_.errors = false;
  }

  // In the order of upstream's clients: servers wait for all of them.
  void begin() override {
    open(kStatus, "error");
    if (wanted_.input) open(kInput, "stdin");
    if (wanted_.output) open(kOutput, "stdout");
    if (wanted_.errors) open(kErrors, "stderr");
    if (wanted_.tty) open(kResize, "resize");
    // Signals the client that the streams are open.
    say(wanted_.output ? kOutput : wanted_.errors ? kErrors : kStatus, {});
  }

  Result<void> from_client(std::string_view message) override {
    if (message.empty()) return {};
    const auto channel = static_cast<unsigned char>(message.front());
    message.remove_prefix(1);
    if (channel == kClose) {
      const bool is_input = !message.empty() && static_cast<unsigned char>(message[0]) == kInput;
      if (is_input) end_input();
    } else if (channel == kInput ? wanted_.input && !input_ended_ : channel == kResize) {
      const auto stream = numbers_.find(channel);
      if (stream != numbers_.end()) spdy_.send(stream->second, message);
    }
    return {};
  }

  Result<void> from_node(std::string_view bytes) override { return spdy_.receive(bytes); }

  // The exit status may have arrived although the streams were never closed.
  void node_ended() override { finish(); }

  std::string take_for_node() override { return spdy_.take_output(); }
  std::vector<std::string> take_for_client() override { return std::exchange(messages_, {}); }
  bool is_over() const override { return over_; }

 private:
  void open(unsigned char channel, std::string_view type) {
    const uint32_t number = spdy_.open({{"streamtype", std::string(type)}});
    numbers_[channel] = number;
    channels_[number] = channel;
  }

  void say(unsigned char channel, std::string_view text) {
    messages_.push_back(static_cast<char>(channel) + std::string(text));
  }

  void end_input() {
    if (!wanted_.input || std::exchange(input_ended_, true)) return;
    spdy_.end(numbers_[kInput]);
  }

  void on_data(uint32_t stream, std::string_view bytes) override {
    const auto channel = channels_.find(stream);
    if (over_ || channel == channels_.end()) return;
    if (channel->second == kStatus) {
      status_ += bytes.substr(0, kMaxStatus - std::min(kMaxStatus, status_.size()));
    } else if (channel->second != kInput && channel->second != kResize) {
      say(channel->second, bytes);
    }
  }

  void on_end(uint32_t stream) override {
    const auto channel = channels_.find(stream);
    if (channel == channels_.end()) return;
    const unsigned char ended = channel->second;
    channels_.erase(channel);
    const bool speaks = ended == kOutput || ended == kErrors || ended == kStatus;
    if (speaks && !expects_more()) finish();
  }

  // Whether output or the exit status may still arrive.
  bool expects_more() const {
    for (const auto& [stream, channel] : channels_) {
      if (channel == kOutput || channel == kErrors || channel == kStatus) return true;
    }
    return false;
  }

  void finish() {
    if (std::exchange(over_, true)) return;
    if (status_.empty()) {
      status_ = status_json({Reason::kInternalError,
                             "Internal error occurred: the node closed the connection before it "
                             "said how the command ended"});
    }
    say(kStatus, status_);
  }

  CommandStreams wanted_;
  http::SpdyCodec spdy_{*this};
  std::map<unsigned char, uint32_t> numbers_;   // streams by channel
  std::map<uint32_t, unsigned char> channels_;  // of streams that are still open
  std::vector<std::string> messages_;
  std::string status_;
  bool input_ended_ = false;
  bool over_ = false;
};

class Tunnel final : public StreamTranslator {
 public:
  void begin() override {}
  Result<void> from_client(std::string_view message) override {
    for_node_ += message;
    return {};
  }
  Result<void> from_node(std::string_view bytes) override {
    if (!bytes.empty()) messages_.emplace_back(bytes);
    return {};
  }
  void node_ended() override { over_ = true; }
  std::string take_for_node() override { return std::exchange(for_node_, {}); }
  std::vector<std::string> take_for_client() override { return std::exchange(messages_, {}); }
  bool is_over() const override { return over_; }

 private:
  std::string for_node_;
  std::vector<std::string> messages_;
  bool over_ = false;
};

}  // namespace command_translator

std::unique_ptr<StreamTranslator> translate_command(const CommandStreams& wanted) {
  return std::make_unique<command_translator::Command>(wanted);
}

std::unique_ptr<StreamTranslator> translate_tunnel() {
  return std::make_unique<command_translator::Tunnel>();
}

}  // namespace proa::apiserver
