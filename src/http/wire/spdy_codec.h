#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/wire/message.h"

namespace proa::http {

// SPDY/3.1 frames for a client that opens streams and is opened none: bytes in, events out, and
// back. What the peer says in headers is passed over. No I/O.
class SpdyCodec {
 public:
  class Events {
   public:
    virtual ~Events() = default;
    virtual void on_data(uint32_t stream, std::string_view bytes) = 0;
    // Nothing more comes on it: the peer ended it, or reset it. Perhaps more than once.
    virtual void on_end(uint32_t stream) = 0;
  };

  explicit SpdyCodec(Events& events) : events_(events) {}

  // Opens a stream; names of headers are lower case. Returns its number.
  uint32_t open(const Headers& headers);
  void send(uint32_t stream, std::string_view bytes);
  // We send nothing more on it.
  void end(uint32_t stream);
  // Takes bytes off the wire. A Status: the peer broke the protocol or the limit.
  Result<void> receive(std::string_view bytes);
  // What must go to the wire; empty when there is nothing.
  std::string take_output();

 private:
  void add_control(uint16_t type, std::string_view payload);
  void add_data(uint32_t stream, uint8_t flags, std::string_view bytes);
  std::string packed(const Headers& headers);
  Result<void> begin_frame();
  void take_part(std::string_view part);
  void finish_frame();

  Events& events_;
  std::string output_;
  uint32_t next_stream_ = 1;  // those of clients are odd
  bool packs_ = false;        // the stream that all headers are packed in has begun
  // The frame that is coming.
  std::string head_;
  std::string payload_;  // of control frames
  uint32_t stream_ = 0;  // of data frames; zero: it is a control frame
  size_t left_ = 0;
};

}  // namespace proa::http
