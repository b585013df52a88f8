#include <algorithm>
#include <charconv>

#include "framing.h"

namespace proa::load {
namespace http1_framing {

size_t number(std::string_view text, int base) {
  size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc()) fail("a number was expected: " + std::string(text));
  return value;
}

class Http1Framing final : public Framing {
 public:
  void greet(std::string&) override {}

  void request(const Request& request, size_t tag, std::string& out) override {
    if (busy_) fail("a second request on an HTTP/1.1 connection that has one under way");
    busy_ = true;
    tag_ = tag;
    out.append(request.method).append(" ").append(request.path);
    out.append(" HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: ").append(request.accept).append("\r\n");
    if (!request.body.empty()) {
      out.append("content-type: ").append(request.content_type);
      out.append("\r\ncontent-length: ").append(std::to_string(request.body.size()));
      out.append("\r\n");
    }
    out.append("\r\n").append(request.body);
  }

  void take(std::string_view bytes, Events& events, std::string&) override {
    while (!bytes.empty()) {
      switch (state_) {
        case State::kHead:
          if (take_until(bytes, "\r\n\r\n")) read_head(events);
          break;
        case State::kBody:
          take_body(bytes, events);
          if (left_ == 0) finish(events);
          break;
        case State::kChunkSize:
          if (take_until(bytes, "\r\n")) {
            left_ = number(line_, 16);
            line_.clear();
            state_ = left_ > 0 ? State::kChunk : State::kLastLine;
          }
          break;
        case State::kChunk:
          take_body(bytes, events);
          if (left_ == 0) state_ = State::kChunkEnd;
          break;
        case State::kChunkEnd:
          if (take_until(bytes, "\r\n")) {
            line_.clear();
            state_ = State::kChunkSize;
          }
          break;
        case State::kLastLine:
          if (take_until(bytes, "\r\n")) {
            line_.clear();
            finish(events);
          }
          break;
      }
    }
  }

 private:
  enum class State : uint8_t { kHead, kBody, kChunkSize, kChunk, kChunkEnd, kLastLine };

  // Moves bytes into `line_` until it ends with `mark`; true when it does.
  bool take_until(std::string_view& bytes, std::string_view mark) {
    // The mark may have begun in what came before.
    const size_t searched = line_.size() < mark.size() ? 0 : line_.size() - mark.size() + 1;
    const size_t before = line_.size();
    line_.append(bytes);
    const size_t at = line_.find(mark, searched);
    if (at == std::string::npos) {
      bytes = {};
      return false;
    }
    bytes.remove_prefix(at + mark.size() - before);
    line_.resize(at + mark.size());
    return true;
  }

  void read_head(Events& events) {
    // Upstream's writes them with capitals.
    std::ranges::transform(line_, line_.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? char(c | 0x20) : c; });
    status_ = static_cast<int>(number(std::string_view(line_).substr(9, 3), 10));
    constexpr std::string_view kLength = "\r\ncontent-length: ";
    const size_t length = line_.find(kLength);
    if (length != std::string::npos) {
      const size_t from = length + kLength.size();
      left_ = number(std::string_view(line_).substr(from, line_.find('\r', from) - from), 10);
      state_ = State::kBody;
    } else if (line_.find("\r\ntransfer-encoding: chunked\r\n") != std::string::npos) {
      state_ = State::kChunkSize;
    } else {
      fail("an answer without a length: " + line_);
    }
    line_.clear();
    if (state_ == State::kBody && left_ == 0) finish(events);
  }

  void take_body(std::string_view& bytes, Events& events) {
    const size_t count = std::min(left_, bytes.size());
    events.on_body(tag_, bytes.substr(0, count));
    bytes.remove_prefix(count);
    left_ -= count;
  }

  void finish(Events& events) {
    state_ = State::kHead;
    busy_ = false;
    events.on_answer(tag_, status_);
  }

  State state_ = State::kHead;
  bool busy_ = false;
  size_t tag_ = 0;
  int status_ = 0;
  size_t left_ = 0;
  std::string line_;
};

}  // namespace http1_framing

std::unique_ptr<Framing> make_http1_framing() {
  return std::make_unique<http1_framing::Http1Framing>();
}

}  // namespace proa::load
