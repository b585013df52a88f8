// The frames by hand; header compression is nghttp2's.
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

#include "framing.h"

namespace proa::load {
namespace http2_framing {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
// As Go's client has it for a connection, and here for streams too: the server is never held back.
constexpr uint32_t kWindow = 1u << 30;
constexpr size_t kFrameHead = 9;

void put_number(std::string& out, uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    out.push_back(static_cast<char>(value >> shift));
}

uint32_t get_number(std::string_view bytes) {
  uint32_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

void put_frame(std::string& out, size_t size, int type, int flags, uint32_t stream) {
  put_number(out, size, 3);
  put_number(out, static_cast<uint64_t>(type), 1);
  put_number(out, static_cast<uint64_t>(flags), 1);
  put_number(out, stream, 4);
}

nghttp2_nv field(std::string_view name, std::string_view value) {
  // nghttp2 does not write to what it is given here.
  auto* bytes = [](std::string_view text) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  }(name);
  auto* value_bytes = reinterpret_cast<uint8_t*>(const_cast<char*>(value.data()));
  return {bytes, value_bytes, name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

class Http2Framing final : public Framing {
 public:
  Http2Framing() {
    if (nghttp2_hd_deflate_new(&deflater_, 4096) != 0) fail("nghttp2 has no deflater");
    if (nghttp2_hd_inflate_new(&inflater_) != 0) fail("nghttp2 has no inflater");
  }
  ~Http2Framing() override {
    nghttp2_hd_deflate_del(deflater_);
    nghttp2_hd_inflate_del(inflater_);
  }
  Http2Framing(const Http2Framing&) = delete;
  Http2Framing& operator=(const Http2Framing&) = delete;

  void greet(std::string& out) override {
    out.append(kPreface);
    put_frame(out, 12, NGHTTP2_SETTINGS, 0, 0);
    put_number(out, NGHTTP2_SETTINGS_ENABLE_PUSH, 2);
    put_number(out, 0, 4);
    put_number(out, NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 2);
    put_number(out, kWindow, 4);
    put_window_update(out, kWindow - NGHTTP2_INITIAL_WINDOW_SIZE);
  }

  void request(const Request& request, size_t tag, std::string& out) override {
    const uint32_t stream = next_stream_;
    next_stream_ += 2;
    streams_.emplace(stream, Stream{tag, 0});
    const std::string length = std::to_string(request.body.size());
    const std::array<nghttp2_nv, 7> fields{
        field(":method", request.method), field(":scheme", "https"),
        field(":authority", "127.0.0.1"), field(":path", request.path),
        field("accept", request.accept),  field("content-type", request.content_type),
        field("content-length", length),
    };
    const bool has_body = !request.body.empty();
    std::array<uint8_t, 2048> block{};
    const ssize_t size = nghttp2_hd_deflate_hd(deflater_, block.data(), block.size(), fields.data(),
                                               has_body ? 7 : 5);
    if (size < 0) fail("header compression failed");
    put_frame(out, static_cast<size_t>(size), NGHTTP2_HEADERS,
              NGHTTP2_FLAG_END_HEADERS | (has_body ? 0 : NGHTTP2_FLAG_END_STREAM), stream);
    out.append(reinterpret_cast<const char*>(block.data()), static_cast<size_t>(size));
    if (!has_body) return;
    window_ -= static_cast<int64_t>(request.body.size());
    // Small bodies, few at a time: the server gives back as it reads.
    if (window_ < 0) fail("more in flight than the server's window allows");
    put_frame(out, request.body.size(), NGHTTP2_DATA, NGHTTP2_FLAG_END_STREAM, stream);
    out.append(request.body);
  }

  void take(std::string_view bytes, Events& events, std::string& out) override {
    while (!bytes.empty()) {
      if (!in_data_) {
        if (!gather(bytes)) return;
        if (!in_data_) {
          handle(std::string_view(frame_).substr(kFrameHead), events, out);
          frame_.clear();
          continue;
        }
      }
      take_data(bytes, events, out);
    }
  }

 private:
  struct Stream {
    size_t tag = 0;
    int status = 0;
  };

  // Moves bytes into `frame_`. True when the frame is whole, or is the head of DATA, whose payload
  // is handed on as it comes.
  bool gather(std::string_view& bytes) {
    const auto fill = [&](size_t wanted) {
      const size_t count = std::min(wanted - std::min(wanted, frame_.size()), bytes.size());
      frame_.append(bytes.substr(0, count));
      bytes.remove_prefix(count);
      return frame_.size() >= wanted;
    };
    if (!fill(kFrameHead)) return false;
    const size_t size = get_number(std::string_view(frame_).substr(0, 3));
    type_ = static_cast<unsigned char>(frame_[3]);
    flags_ = static_cast<unsigned char>(frame_[4]);
    stream_ = get_number(std::string_view(frame_).substr(5, 4));
    if (type_ == NGHTTP2_DATA) {
      if ((flags_ & NGHTTP2_FLAG_PADDED) != 0) fail("padding was not expected");
      in_data_ = true;
      data_left_ = size;
      frame_.clear();
      const auto found = streams_.find(stream_);
      if (found == streams_.end()) fail("data for a stream that is not open");
      data_tag_ = found->second.tag;
      return true;
    }
    return fill(kFrameHead + size);
  }

  void take_data(std::string_view& bytes, Events& events, std::string& out) {
    const size_t count = std::min(data_left_, bytes.size());
    if (count > 0) events.on_body(data_tag_, bytes.substr(0, count));
    bytes.remove_prefix(count);
    data_left_ -= count;
    received_ += static_cast<uint32_t>(count);
    if (received_ > kWindow / 2) {
      put_window_update(out, received_);
      received_ = 0;
    }
    if (data_left_ > 0) return;
    in_data_ = false;
    if ((flags_ & NGHTTP2_FLAG_END_STREAM) != 0) finish(events);
  }

  void handle(std::string_view payload, Events& events, std::string& out) {
    switch (type_) {
      case NGHTTP2_HEADERS:
        return handle_headers(payload, events);
      case NGHTTP2_SETTINGS:
        if ((flags_ & NGHTTP2_FLAG_ACK) == 0) {
          read_settings(payload);
          put_frame(out, 0, NGHTTP2_SETTINGS, NGHTTP2_FLAG_ACK, 0);
        }
        return;
      case NGHTTP2_PING:
        if ((flags_ & NGHTTP2_FLAG_ACK) == 0) {
          put_frame(out, payload.size(), NGHTTP2_PING, NGHTTP2_FLAG_ACK, 0);
          out.append(payload);
        }
        return;
      case NGHTTP2_WINDOW_UPDATE:
        if (stream_ == 0) window_ += get_number(payload);
        return;
      case NGHTTP2_GOAWAY:
        fail("the server gave up a connection, with code " +
             std::to_string(get_number(payload.substr(4, 4))) + " " +
             std::string(payload.substr(8)));
      case NGHTTP2_RST_STREAM:
        return give_up(events, get_number(payload));
      default:
        fail("an HTTP/2 frame of type " + std::to_string(type_) + " was not expected");
    }
  }

  void handle_headers(std::string_view payload, Events& events) {
    if (flags_ & (NGHTTP2_FLAG_PADDED | NGHTTP2_FLAG_PRIORITY)) fail("padded header fields");
    if ((flags_ & NGHTTP2_FLAG_END_HEADERS) == 0) fail("continued header fields");
    const auto found = streams_.find(stream_);
    if (found == streams_.end()) fail("an answer to nothing");
    const auto* at = reinterpret_cast<const uint8_t*>(payload.data());
    size_t left = payload.size();
    for (;;) {
      nghttp2_nv header;
      int flags = 0;
      const ssize_t used = nghttp2_hd_inflate_hd2(inflater_, &header, &flags, at, left, 1);
      if (used < 0) fail("header fields that can't be decoded");
      at += used;
      left -= static_cast<size_t>(used);
      if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0 && header.namelen == 7 &&
          std::equal(header.name, header.name + 7, ":status")) {
        const char* text = reinterpret_cast<const char*>(header.value);
        std::from_chars(text, text + header.valuelen, found->second.status);
      }
      if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) break;
      if ((flags & NGHTTP2_HD_INFLATE_EMIT) == 0 && left == 0) break;
    }
    nghttp2_hd_inflate_end_headers(inflater_);
    if ((flags_ & NGHTTP2_FLAG_END_STREAM) != 0) finish(events);
  }

  void read_settings(std::string_view payload) {
    for (; payload.size() >= 6; payload.remove_prefix(6)) {
      const uint32_t value = get_number(payload.substr(2, 4));
      if (get_number(payload.substr(0, 2)) == NGHTTP2_SETTINGS_HEADER_TABLE_SIZE)
        nghttp2_hd_deflate_change_table_size(deflater_, std::min<size_t>(value, 4096));
    }
  }

  void finish(Events& events) {
    const auto found = streams_.find(stream_);
    const Stream done = found->second;
    streams_.erase(found);
    events.on_answer(done.tag, done.status);
  }

  void give_up(Events& events, uint64_t code) {
    const auto found = streams_.find(stream_);
    if (found == streams_.end()) return;  // was answered
    const size_t tag = found->second.tag;
    streams_.erase(found);
    events.on_given_up(tag, code);
  }

  static void put_window_update(std::string& out, uint32_t more) {
    put_frame(out, 4, NGHTTP2_WINDOW_UPDATE, 0, 0);
    put_number(out, more, 4);
  }

  nghttp2_hd_deflater* deflater_ = nullptr;
  nghttp2_hd_inflater* inflater_ = nullptr;
  std::unordered_map<uint32_t, Stream> streams_;
  uint32_t next_stream_ = 1;
  int64_t window_ = NGHTTP2_INITIAL_WINDOW_SIZE;  // what we may still send
  uint32_t received_ = 0;                         // what we have not given back yet
  // The frame that is coming in.
  std::string frame_;
  int type_ = 0;
  int flags_ = 0;
  uint32_t stream_ = 0;
  bool in_data_ = false;
  size_t data_left_ = 0;
  size_t data_tag_ = 0;
};

}  // namespace http2_framing

std::unique_ptr<Framing> make_http2_framing() {
  return std::make_unique<http2_framing::Http2Framing>();
}

}  // namespace proa::load
