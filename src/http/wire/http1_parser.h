#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/wire/message.h"

namespace proa::http {

struct Http1Limits {
  size_t head_bytes = 64 * 1024;  // request line and all header fields
  size_t header_count = 128;
};

// Parses a sequence of HTTP/1 messages of one connection. Strict: anything that two parsers could
// read differently (two lengths, unknown transfer codings, folded lines, bare line feeds, spaces
// before a colon) is rejected, against request smuggling. The head of a response may have bare line
// feeds, as scripts behind small servers write them: it is never passed on as it came.
class Http1Parser {
 public:
  class Events {
   public:
    virtual ~Events() = default;
    virtual void on_request(RequestHead) {}    // request parsers
    virtual void on_response(ResponseHead) {}  // response parsers
    virtual void on_body(std::string_view bytes) = 0;
    virtual void on_message_end(Headers trailers) = 0;
  };
  enum class Kind : uint8_t { kRequests, kResponses };

  Http1Parser(Kind kind, Http1Limits limits, Events& events);
  ~Http1Parser();

  // Parses bytes and calls events; returns how many were consumed. It stops at the end of a message
  // until next_message() (so pipelined requests wait), and keeps no part of unconsumed bytes: the
  // caller passes them again, followed by more. A Status on malformed input: the connection is
  // unusable then.
  Result<size_t> feed(std::string_view bytes);
  // End of input: ends a body delimited by it; a Status inside of a message.
  Result<void> feed_end();
  bool message_done() const;
  // Whether any byte of the current message was seen.
  bool in_message() const;
  // REQUIRES: message_done(), or nothing begun. `no_body`: responses to HEAD and 1xx, 204, 304.
  void next_message(bool no_body = false);
  // After the head: whether the message keeps the connection open.
  bool keep_alive() const;
  bool expects_continue() const;  // "Expect: 100-continue"
  bool upgrade() const;           // requests, or is, a protocol upgrade

  class Machine;  // Beast's parser, for requests or responses

 private:
  std::unique_ptr<Machine> machine_;
};

// Heads as sent.
std::string print_request_head(const RequestHead& head);
std::string print_response_head(const ResponseHead& head, Version version);
// A chunk's frame around `size` bytes: "1f4\r\n"; the data and "\r\n" follow.
std::string print_chunk_size(size_t size);
std::string print_last_chunk(const Headers& trailers);

}  // namespace proa::http
