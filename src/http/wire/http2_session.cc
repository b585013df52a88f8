#include "http/wire/http2_session.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/check.h"
#include "base/clock.h"

namespace proa::http {

struct Http2Session::Stream {
  // What the peer sends.
  RequestHead request;
  ResponseHead response;
  Headers trailers;
  size_t header_bytes = 0;
  size_t header_count = 0;
  bool head_seen = false;
  bool body_ended = false;
  size_t unconsumed = 0;  // delivered body bytes that still reduce the window
  size_t aside = 0;       // of these, bytes that reduce the stream's window only
  // What we send.
  std::deque<Bytes> queue;
  size_t queued = 0;
  Headers our_trailers;
  bool end_wanted = false;
  bool deferred = false;  // nghttp2 waits for nghttp2_session_resume_data
  bool reset_by_us = false;
};

namespace http2_session {

nghttp2_nv field(std::string_view name, std::string_view value) {
  // nghttp2 copies both before the submitting call returns.
  return {reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
          reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(),
          NGHTTP2_NV_FLAG_NONE};
}

// Hop-by-hop fields, which HTTP/2 forbids.
bool is_connection_field(std::string_view name) {
  return name == "connection" || name == "keep-alive" || name == "proxy-connection" ||
         name == "transfer-encoding" || name == "upgrade" || name == "host";
}

void append(std::vector<nghttp2_nv>& out, const Headers& headers) {
  for (const auto& [name, value] : headers) {
    if (!is_connection_field(name)) out.push_back(field(name, value));
  }
}

std::string_view text(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace http2_session

// nghttp2's callbacks. None throws; each finds the session in `user`.
struct Http2Session::Callbacks {
  static Http2Session& self(void* user) { return *static_cast<Http2Session*>(user); }

  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    auto& session = self(user);
    if (session.role_ == Role::kServer && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
      session.streams_.emplace(frame->hd.stream_id, std::make_unique<Stream>());
    }
    return 0;
  }

  // NOLINTNEXTLINE(readability-function-size): nghttp2 declares the parameters.
  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                       size_t name_size, const uint8_t* value, size_t value_size, uint8_t,
                       void* user) {
    auto& session = self(user);
    Stream* stream = session.find(frame->hd.stream_id);
    if (stream == nullptr) return 0;
    stream->header_bytes += name_size + value_size + 32;  // as RFC 9113 counts a header list
    if (++stream->header_count > session.limits_.header_count ||
        stream->header_bytes > session.limits_.header_list_bytes) {
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // resets this stream alone
    }
    session.take_field(*stream, http2_session::text(name, name_size),
                       http2_session::text(value, value_size));
    return 0;
  }

  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    auto& session = self(user);
    const bool end = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (frame->hd.type == NGHTTP2_GOAWAY) {
      session.events_.on_goaway(frame->goaway.last_stream_id);
      return 0;
    }
    if (frame->hd.type == NGHTTP2_RST_STREAM) session.count_reset();
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
    Stream* stream = session.find(frame->hd.stream_id);
    if (stream == nullptr) return 0;
    if (frame->hd.type == NGHTTP2_HEADERS) session.head_done(frame->hd.stream_id, *stream, end);
    // The event may have closed the stream.
    stream = session.find(frame->hd.stream_id);
    if (end && stream != nullptr && !stream->body_ended) {
      stream->body_ended = true;
      session.frame_progresses();
      session.events_.on_body_end(frame->hd.stream_id, std::move(stream->trailers));
    }
    return 0;
  }

  static int on_data(nghttp2_session* raw, uint8_t, int32_t id, const uint8_t* data, size_t size,
                     void* user) {
    auto& session = self(user);
    Stream* stream = session.find(id);
    if (stream == nullptr) {
      nghttp2_session_consume_connection(raw, size);
      return 0;
    }
    stream->unconsumed += size;
    session.frame_progresses();
    session.events_.on_body(id, http2_session::text(data, size));
    return 0;
  }

  // A response that ends before its request: tells the client to stop sending (RFC 9113, 8.1).
  // Resets that nghttp2 sends by itself answer errors of the client.
  static int on_frame_sent(nghttp2_session* raw, const nghttp2_frame* frame, void* user) {
    auto& session = self(user);
    if (frame->hd.type == NGHTTP2_RST_STREAM) {
      const Stream* stream = session.find(frame->hd.stream_id);
      if (stream == nullptr || !stream->reset_by_us) session.count_reset();
    }
    if (session.role_ != Role::kServer || (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0 ||
        (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)) {
      return 0;
    }
    Stream* stream = session.find(frame->hd.stream_id);
    if (stream != nullptr && !stream->body_ended) {
      stream->reset_by_us = true;
      nghttp2_submit_rst_stream(raw, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
    }
    return 0;
  }

  static int on_close(nghttp2_session* raw, int32_t id, uint32_t error, void* user) {
    auto& session = self(user);
    const auto found = session.streams_.find(id);
    if (found == session.streams_.end()) return 0;
    const auto stream = std::move(found->second);
    session.streams_.erase(found);
    // Bytes that will not be read must not reduce the connection's window.
    nghttp2_session_consume_connection(raw, stream->unconsumed - stream->aside);
    session.events_.on_stream_closed(id, error);
    return 0;
  }

  // NOLINTNEXTLINE(readability-function-size): nghttp2 declares the parameters.
  static ssize_t read_body(nghttp2_session* raw, int32_t id, uint8_t* out, size_t size,
                           uint32_t* flags, nghttp2_data_source*, void* user) {
    auto& session = self(user);
    Stream* stream = session.find(id);
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    size_t copied = 0;
    while (copied < size && !stream->queue.empty()) {
      Bytes& front = stream->queue.front();
      const size_t part = std::min(size - copied, front.size());
      std::memcpy(out + copied, front.data(), part);
      copied += part;
      front.remove_prefix(part);
      if (front.empty()) stream->queue.pop_front();
    }
    stream->queued -= copied;
    if (stream->queue.empty() && stream->end_wanted) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
      if (!stream->our_trailers.empty()) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        std::vector<nghttp2_nv> fields;
        http2_session::append(fields, stream->our_trailers);
        nghttp2_submit_trailer(raw, id, fields.data(), fields.size());
      }
    } else if (copied == 0) {
      stream->deferred = true;
      return NGHTTP2_ERR_DEFERRED;
    }
    if (copied > 0) {
      session.frames_.progress(copied);
      session.sent_.emplace_back(id, copied);
    }
    return static_cast<ssize_t>(copied);
  }

  static nghttp2_data_provider provider() { return {{}, read_body}; }
};

Http2Session::Http2Session(Role role, const Http2Limits& limits, Events& events)
    : events_(events),
      limits_(limits),
      role_(role),
      resets_(limits.reset_burst, limits.resets_per_second),
      splitter_(role == Role::kServer ? NGHTTP2_CLIENT_MAGIC_LEN : 0),
      frames_(limits.idle_frame_burst, limits.idle_frames_per_second) {
  nghttp2_session_callbacks* callbacks = nullptr;
  CHECK(nghttp2_session_callbacks_new(&callbacks) == 0);
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, Callbacks::on_begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, Callbacks::on_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, Callbacks::on_frame);
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, Callbacks::on_frame_sent);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Callbacks::on_data);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, Callbacks::on_close);

  nghttp2_option* option = nullptr;
  CHECK(nghttp2_option_new(&option) == 0);
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_max_outbound_ack(option, limits.queued_acks);
  nghttp2_option_set_max_settings(option, limits.settings_entries);
  // nghttp2 counts only resets by the peer, and must not come first: it does not say why it closes.
  nghttp2_option_set_stream_reset_rate_limit(option, uint64_t{2} * limits.reset_burst,
                                             uint64_t{2} * limits.resets_per_second);
  nghttp2_option_set_max_send_header_block_length(option, 1024 * 1024);
  nghttp2_option_set_no_closed_streams(option, 1);
  if (role == Role::kServer) {
    CHECK(nghttp2_session_server_new2(&session_, callbacks, this, option) == 0);
  } else {
    CHECK(nghttp2_session_client_new2(&session_, callbacks, this, option) == 0);
  }
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);

  const std::array settings{
      nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.concurrent_streams},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits.stream_window},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.header_list_bytes},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
  };
  // Servers do not send ENABLE_PUSH.
  const size_t count = role == Role::kServer ? settings.size() - 1 : settings.size();
  CHECK(nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), count) == 0);
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0,
                                        static_cast<int32_t>(limits.connection_window));
}

Http2Session::~Http2Session() { nghttp2_session_del(session_); }

Http2Session::Stream* Http2Session::find(StreamId id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second.get();
}

void Http2Session::take_field(Stream& stream, std::string_view name, std::string_view value) {
  if (stream.head_seen) {
    stream.trailers.add(name, value);
  } else if (!name.starts_with(':')) {
    if (role_ == Role::kClient) return stream.response.headers.add(name, value);
    // Cookies may be split; we do not read them, so they stay split.
    stream.request.headers.add(name, value);
    if (name == "host" && stream.request.authority.empty()) stream.request.authority = value;
  } else if (name == ":status") {
    stream.response.status =
        std::atoi(std::string(value).c_str());  // nghttp2 has checked its three digits
  } else if (name == ":method") {
    stream.request.method = value;
  } else if (name == ":path") {
    stream.request.target = value;
  } else if (name == ":authority") {
    stream.request.authority = value;
  } else if (name == ":scheme") {
    stream.request.scheme = value;
  }
}

void Http2Session::head_done(StreamId id, Stream& stream, bool end) {
  if (stream.head_seen) return;  // trailers, or a late 1xx
  if (role_ == Role::kServer) {
    stream.head_seen = true;
    if (too_many_resets_) return;
    frame_progresses();
    stream.request.version = Version::kHttp2;
    return events_.on_request(id, std::move(stream.request), end);
  }
  if (stream.response.status < 200) {
    stream.response = {};
    return;
  }
  stream.head_seen = true;
  frame_progresses();
  events_.on_response(id, std::move(stream.response), end);
}

Result<void> Http2Session::receive(std::string_view bytes) {
  while (!bytes.empty()) {
    const FrameSplitter::Part part = splitter_.take(bytes);
    const ssize_t taken = nghttp2_session_mem_recv(
        session_, reinterpret_cast<const uint8_t*>(part.bytes.data()), part.bytes.size());
    // nghttp2 found too many unsent acknowledgements or continuations, and says nothing itself.
    const bool flooded =
        taken == NGHTTP2_ERR_FLOODED || taken == NGHTTP2_ERR_TOO_MANY_CONTINUATIONS;
    if (taken < 0 && !flooded) {
      return Status(Reason::kBadRequest,
                    std::string("HTTP/2: ") + nghttp2_strerror(static_cast<int>(taken)));
    }
    if (!flooded) {
      if (!part.ends_frame || std::exchange(frame_progresses_, false)) continue;
      if (frames_.spend(SystemClock().steady())) continue;
    }
    nghttp2_session_terminate_session(session_, NGHTTP2_ENHANCE_YOUR_CALM);
    return Status(Reason::kBadRequest, "HTTP/2: too many frames without progress");
  }
  return {};
}

void Http2Session::take_output(std::string& out, size_t most) {
  const size_t until = out.size() + most;
  while (out.size() < until) {
    const uint8_t* data = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_, &data);
    if (size <= 0) break;  // a failure is reported by the next receive(), or by finished()
    out.append(reinterpret_cast<const char*>(data), static_cast<size_t>(size));
  }
  // Reported here, not inside of nghttp2, since handlers may send more.
  for (const auto& [id, size] : std::exchange(sent_, {})) {
    if (find(id) != nullptr) events_.on_sent(id, size);
  }
}

bool Http2Session::wants_output() const { return nghttp2_session_want_write(session_) != 0; }

bool Http2Session::finished() const {
  return nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0;
}

Result<StreamId> Http2Session::request(const RequestHead& head, bool end) {
  std::vector<nghttp2_nv> fields;
  fields.reserve(head.headers.size() + 4);
  fields.push_back(http2_session::field(":method", head.method));
  fields.push_back(http2_session::field(":scheme", head.scheme));
  fields.push_back(http2_session::field(":authority", head.authority));
  fields.push_back(http2_session::field(":path", head.target));
  http2_session::append(fields, head.headers);
  const auto provider = Callbacks::provider();
  const int32_t id = nghttp2_submit_request(session_, nullptr, fields.data(), fields.size(),
                                            end ? nullptr : &provider, nullptr);
  if (id < 0)
    return Status(Reason::kServiceUnavailable, std::string("HTTP/2: ") + nghttp2_strerror(id));
  streams_.emplace(id, std::make_unique<Stream>());
  frames_.progress();
  return id;
}

size_t Http2Session::peer_max_streams() const {
  return nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

void Http2Session::respond(StreamId stream, const ResponseHead& head, bool end) {
  const std::string status = std::to_string(head.status);
  std::vector<nghttp2_nv> fields;
  fields.reserve(head.headers.size() + 1);
  fields.push_back(http2_session::field(":status", status));
  http2_session::append(fields, head.headers);
  const auto provider = Callbacks::provider();
  nghttp2_submit_response(session_, stream, fields.data(), fields.size(),
                          end ? nullptr : &provider);
}

void Http2Session::send(StreamId id, Bytes bytes) {
  Stream* stream = find(id);
  if (stream == nullptr || bytes.empty()) return;
  stream->queued += bytes.size();
  stream->queue.push_back(std::move(bytes));
  wake(id, *stream);
}

void Http2Session::end(StreamId id, Headers trailers) {
  Stream* stream = find(id);
  if (stream == nullptr) return;
  stream->our_trailers = std::move(trailers);
  stream->end_wanted = true;
  wake(id, *stream);
}

void Http2Session::wake(StreamId id, Stream& stream) {
  if (!std::exchange(stream.deferred, false)) return;
  nghttp2_session_resume_data(session_, id);
}

size_t Http2Session::unsent(StreamId id) const {
  const auto found = streams_.find(id);
  return found == streams_.end() ? 0 : found->second->queued;
}

void Http2Session::consume(StreamId id, size_t bytes) {
  Stream* stream = find(id);
  if (stream == nullptr) return;
  CHECK(bytes <= stream->unconsumed);
  stream->unconsumed -= bytes;
  const size_t aside = std::min(bytes, stream->aside);
  stream->aside -= aside;
  if (aside > 0) nghttp2_session_consume_stream(session_, id, aside);
  if (bytes > aside) nghttp2_session_consume(session_, id, bytes - aside);
}

void Http2Session::set_aside(StreamId id, size_t bytes) {
  Stream* stream = find(id);
  if (stream == nullptr) return;
  CHECK(stream->aside + bytes <= stream->unconsumed);
  stream->aside += bytes;
  nghttp2_session_consume_connection(session_, bytes);
}

void Http2Session::widen(StreamId id, uint32_t window) {
  if (window <= limits_.stream_window) return;
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, id,
                                        static_cast<int32_t>(window));
}

void Http2Session::reset(StreamId id, uint32_t error_code) {
  if (Stream* stream = find(id)) stream->reset_by_us = true;
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, error_code);
}

void Http2Session::drop(StreamId id, uint32_t error_code) {
  if (Stream* stream = find(id)) {
    stream->queue.clear();
    stream->queued = 0;
  }
  reset(id, error_code);
}

void Http2Session::count_reset() {
  if (role_ == Role::kClient || resets_.allow(SystemClock().steady())) return;
  if (std::exchange(too_many_resets_, true)) return;
  nghttp2_session_terminate_session(session_, NGHTTP2_ENHANCE_YOUR_CALM);
}

void Http2Session::frame_progresses() {
  frames_.progress();
  frame_progresses_ = true;
}

void Http2Session::goaway() {
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_), NGHTTP2_NO_ERROR,
                        nullptr, 0);
}

void Http2Session::ping() { nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr); }

}  // namespace proa::http
