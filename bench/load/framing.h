#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace proa::load {

enum class Protocol : uint8_t { kHttp1, kHttp2 };

std::string_view name_of(Protocol protocol);

struct Request {
  std::string method = "GET";
  std::string path;
  std::string accept = "application/json";
  std::string content_type = "application/json";  // said when there is a body
  std::string body;
};

// Requests into bytes, bytes into answers, for one connection to a server of ours: just as much of
// HTTP as it speaks, since the generator shares the cores with what it measures. Whatever else
// comes ends the program.
class Framing {
 public:
  class Events {
   public:
    virtual ~Events() = default;
    virtual void on_body(size_t tag, std::string_view part) = 0;
    virtual void on_answer(size_t tag, int status) = 0;
    // Instead of an answer: the server gave up the stream. Ends the program unless it is expected.
    virtual void on_given_up(size_t tag, uint64_t code);
  };

  virtual ~Framing() = default;
  // What the client says first.
  virtual void greet(std::string& out) = 0;
  // `tag` is the caller's name for it and comes back with the answer. HTTP/1.1: one at a time.
  virtual void request(const Request& request, size_t tag, std::string& out) = 0;
  // What the server sent; what must be said in return goes to `out`.
  virtual void take(std::string_view bytes, Events& events, std::string& out) = 0;
};

std::unique_ptr<Framing> make_http1_framing();
std::unique_ptr<Framing> make_http2_framing();
std::unique_ptr<Framing> make_framing(Protocol protocol);

// Says what went wrong and ends the program: a figure from a broken run is worth nothing.
[[noreturn]] void fail(const std::string& message);

}  // namespace proa::load
