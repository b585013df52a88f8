#pragma once

#include <uv.h>

#include <vector>

#include "http/net/socket.h"

// The parts of a Socket that libuv refers to; for the files of Socket only.
namespace proa::http {

struct Socket::Handle {
  union {
    uv_stream_t stream;
    uv_tcp_t tcp;
    uv_pipe_t pipe;
  };
  Socket* owner = nullptr;
  bool is_unix = false;

  uv_handle_t* raw() { return reinterpret_cast<uv_handle_t*>(&stream); }

  static Handle* make(Loop& loop, bool is_unix) {
    auto* handle = new Handle{};
    handle->is_unix = is_unix;
    if (is_unix) {
      uv_pipe_init(loop.raw(), &handle->pipe, 0);
    } else {
      uv_tcp_init(loop.raw(), &handle->tcp);
    }
    handle->stream.data = handle;
    return handle;
  }
};

struct Socket::Write {
  uv_write_t request{};
  Handle* handle = nullptr;
  size_t size = 0;
  std::vector<Bytes> pieces;
};

namespace socket {

inline Status uv_failure(std::string_view what, int error) {
  return {Reason::kServiceUnavailable, std::string(what) + ": " + uv_strerror(error)};
}

}  // namespace socket
}  // namespace proa::http
