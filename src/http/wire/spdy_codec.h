#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/wire/message.h"

namespace proa::http {

// SPDY/3.1 framing for a client; the peer opens no streams, and its headers are ignored. No I/O.
class SpdyCodec {
 public:
  class Events {
   public:
    virtual ~Events() = default;
    virtual void on_data(uint32_t stream, std::string_view bytes) = 0;
    // The peer ended or reset the stream. May be called more than once.
    virtual void on_end(uint32_t stream) = 0;
  };

  explicit SpdyCodec(Events& events) : events_(events) {}

  // Opens a stream; header names are in lower case. Returns its id.
  uint32_t open(const Headers& headers);
  void send(uint32_t stream, std::string_view bytes);
  // Ends our direction of the stream.
  void end(uint32_t stream);
  // Processes received bytes. A Status: the peer violated the protocol or the limit.
  Result<void> receive(std::string_view bytes);
  // Bytes to send; may be empty.
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
  uint32_t next_stream_ = 1;  // clients use odd ids
  bool packs_ = false;        // the shared compression stream of headers has begun
  // The frame being received.
  std::string head_;
  std::string payload_;  // of control frames
  uint32_t stream_ = 0;  // of data frames; zero: it is a control frame
  size_t left_ = 0;
};

}  // namespace proa::http
