#include "http/wire/http1_parser.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <cstdio>

#include "base/strings.h"

namespace proa::http {
namespace http1_parser {

namespace beast = boost::beast;

// A longer chunk head, with extensions, is an attack.
constexpr size_t kMaxChunkHead = 4096;
constexpr size_t kLastChunk = 5;  // "0\r\n\r\n"

Status malformed(std::string_view what) {
  return {Reason::kBadRequest, "malformed HTTP: " + std::string(what)};
}

// Beast unfolds continued lines; two parsers in a row may disagree on them.
bool has_folded_line(std::string_view head) {
  return head.find("\r\n ") != std::string_view::npos ||
         head.find("\r\n\t") != std::string_view::npos;
}

// Where the head ends, behind its empty line; npos: not yet. Lines end with CRLF, or with `bare`
// also with LF alone.
size_t end_of_head(std::string_view bytes, size_t from, bool bare) {
  if (!bare) {
    const size_t end = bytes.find("\r\n\r\n", from);
    return end == std::string_view::npos ? end : end + 4;
  }
  for (size_t at = bytes.find('\n', from); at != std::string_view::npos;
       at = bytes.find('\n', at + 1)) {
    const std::string_view next = bytes.substr(at + 1);
    if (next.starts_with('\n')) return at + 2;
    if (next.starts_with("\r\n")) return at + 3;
  }
  return std::string_view::npos;
}

bool has_bare_line_feed(std::string_view head) {
  for (size_t at = head.find('\n'); at != std::string_view::npos; at = head.find('\n', at + 1)) {
    if (at == 0 || head[at - 1] != '\r') return true;
  }
  return false;
}

std::string with_full_line_ends(std::string_view head) {
  std::string full;
  full.reserve(head.size() + 64);
  for (const char c : head) {
    if (c == '\n' && !full.ends_with('\r')) full += '\r';
    full += c;
  }
  return full;
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Normalises the forms of RFC 9112, 3.2: path and query in `target`. The authority of an absolute
// URI overrides Host. False for other forms.
bool normalize_target(RequestHead& request) {
  std::string_view target = request.target;
  if (target.starts_with('/') || request.method == "CONNECT") return true;
  if (target == "*") return request.method == "OPTIONS";
  const size_t scheme = target.find("://");
  if (scheme == std::string_view::npos) return false;
  const std::string name = to_lower(target.substr(0, scheme));
  if (name != "http" && name != "https") return false;
  target.remove_prefix(scheme + 3);
  const size_t end = std::min(target.find_first_of("/?"), target.size());
  const std::string authority(target.substr(0, end));
  if (authority.empty() || authority.find('@') != std::string::npos) return false;
  std::string path(target.substr(end));
  if (!path.starts_with('/')) path.insert(path.begin(), '/');
  request.authority = authority;
  request.target = std::move(path);
  return true;
}

}  // namespace http1_parser

class Http1Parser::Machine {
 public:
  Machine(Http1Limits limits, Events& events) : limits_(limits), events_(events) {}
  virtual ~Machine() = default;

  virtual Result<size_t> put(std::string_view bytes) = 0;
  virtual Result<void> put_end() = 0;
  virtual bool done() const = 0;
  virtual bool begun() const = 0;
  virtual void next(bool no_body) = 0;
  virtual bool keep_alive() const = 0;
  virtual bool upgrade() const = 0;
  virtual bool takes_bare_line_feeds() const = 0;

  Result<size_t> feed(std::string_view bytes);
  Result<void> put_head(std::string_view head);

  const Http1Limits limits_;
  Events& events_;
  bool head_done_ = false;
  bool expects_continue_ = false;
  bool shown_ = false;   // some byte of the current message has been seen
  size_t searched_ = 0;  // how far the end of the head was searched
};

// The head alone: later bytes must not complete a malformed one.
Result<void> Http1Parser::Machine::put_head(std::string_view head) {
  if (http1_parser::has_folded_line(head)) {
    return http1_parser::malformed("a header field continues on the next line");
  }
  const size_t taken = TRY(put(head));
  if (!head_done_ || taken != head.size()) {
    return http1_parser::malformed("the head is incomplete");
  }
  return {};
}

Result<size_t> Http1Parser::Machine::feed(std::string_view bytes) {
  size_t taken = 0;
  if (!begun()) {
    // Some clients send an extra empty line after a body; it is skipped.
    while (searched_ == 0 && bytes.substr(taken).starts_with("\r\n")) taken += 2;
    bytes.remove_prefix(taken);
    if (bytes.empty() || bytes == "\r") return taken;
    shown_ = true;
    // Usually a TLS handshake, whose client waits for an answer before it sends a line end.
    if (static_cast<unsigned char>(bytes.front()) <= ' ') {
      return http1_parser::malformed("no message begins with such a byte; is this TLS?");
    }
    const size_t end = http1_parser::end_of_head(bytes, searched_ > 3 ? searched_ - 3 : 0,
                                                 takes_bare_line_feeds());
    const size_t size = std::min(end, bytes.size());
    if (size > limits_.head_bytes) {
      return Status(Reason::kRequestEntityTooLarge, 431, "request header fields too large");
    }
    if (end == std::string_view::npos) {
      searched_ = bytes.size();
      return taken;
    }
    searched_ = 0;
    const std::string_view head = bytes.substr(0, size);
    if (takes_bare_line_feeds() && http1_parser::has_bare_line_feed(head)) {
      TRY(put_head(http1_parser::with_full_line_ends(head)));
    } else {
      TRY(put_head(head));
    }
    taken += size;
    bytes.remove_prefix(size);
    if (done() || bytes.empty()) return taken;
  }
  const size_t more = TRY(put(bytes));
  if (more == 0 && !done() && bytes.size() > http1_parser::kMaxChunkHead) {
    return http1_parser::malformed("endless chunk head");
  }
  return taken + more;
}

namespace http1_parser {

template <bool kRequest>
class BeastMachine final : public Http1Parser::Machine {
  using Base = beast::http::basic_parser<kRequest>;
  using Text = beast::string_view;
  using Error = beast::error_code;

  // The part that Beast calls back.
  class Parser final : public Base {
   public:
    explicit Parser(BeastMachine& machine) : machine_(machine) {
      this->eager(false);  // one step per call, so that each can be checked before
      this->header_limit(static_cast<uint32_t>(machine.limits_.head_bytes));
      this->body_limit(boost::none);  // the reader of the body limits it
    }

    // Beast aborts the program if the last chunk arrives byte by byte: it never gets fewer bytes
    // than the shortest last chunk has.
    bool can_take(size_t size) const {
      return !machine_.head_done_ || !this->chunked() || chunk_left_ > 0 || size >= kLastChunk;
    }

   private:
    void on_request_impl(beast::http::verb, Text method, Text target, int version,
                         Error& error) override {
      if (!machine_.set_version(version)) return fail(error, "unknown version");
      machine_.request_.method = method;
      machine_.request_.target = target;
    }
    void on_response_impl(int code, Text, int version, Error& error) override {
      if (!machine_.set_version(version)) return fail(error, "unknown version");
      machine_.response_.status = code;
    }
    void on_field_impl(beast::http::field field, Text name, Text value, Error& error) override {
      if (++count_ > machine_.limits_.header_count) {
        machine_.failure_ = Status(Reason::kRequestEntityTooLarge, 431, "too many header fields");
        error = beast::http::error::header_limit;
        return;
      }
      if (machine_.head_done_) return machine_.trailers_.add(name, value);
      if (field == beast::http::field::content_length) {
        if (++lengths_ > 1 || !all_digits(value))
          return fail(error, "several lengths, or none, in Content-Length");
      } else if (field == beast::http::field::transfer_encoding) {
        if (++codings_ > 1) return fail(error, "several Transfer-Encoding fields");
        if (!equals_ignoring_case(value, "chunked"))
          return fail(error, "unsupported Transfer-Encoding");
      }
      if constexpr (kRequest) {
        machine_.request_.headers.add(name, value);
      } else {
        machine_.response_.headers.add(name, value);
      }
    }
    void on_header_impl(Error& error) override {
      if (lengths_ > 0 && codings_ > 0)
        return fail(error, "both Content-Length and Transfer-Encoding");
      if (codings_ > 0 && machine_.version_ == Version::kHttp10)
        return fail(error, "Transfer-Encoding in HTTP/1.0");
      if (const char* wrong = machine_.head_complete()) return fail(error, wrong);
    }
    void on_body_init_impl(boost::optional<uint64_t> const&, Error&) override {}
    size_t on_body_impl(Text body, Error&) override {
      machine_.events_.on_body(body);
      return body.size();
    }
    void on_chunk_header_impl(uint64_t size, Text, Error&) override { chunk_left_ = size; }
    size_t on_chunk_body_impl(uint64_t, Text body, Error&) override {
      if (!body.empty()) machine_.events_.on_body(body);
      chunk_left_ -= body.size();
      return body.size();
    }
    void on_finish_impl(Error&) override {}

    void fail(Error& error, std::string_view why) {
      machine_.failure_ = malformed(why);
      error = beast::http::error::bad_field;
    }

    BeastMachine& machine_;
    size_t count_ = 0;
    int lengths_ = 0;
    int codings_ = 0;
    uint64_t chunk_left_ = 0;
  };

 public:
  BeastMachine(Http1Limits limits, Http1Parser::Events& events) : Machine(limits, events) {
    next(false);
  }

  Result<size_t> put(std::string_view bytes) override {
    Error error;
    size_t taken = 0;
    // Beast stops after every part of a message: it is called again while it consumes something.
    while (!parser_->is_done() && parser_->can_take(bytes.size() - taken)) {
      const size_t now =
          parser_->put(boost::asio::buffer(bytes.data() + taken, bytes.size() - taken), error);
      taken += now;
      if (error == beast::http::error::need_more) {
        error = {};
        if (now == 0 || taken == bytes.size()) break;
        continue;
      }
      if (error) return failure_ ? *failure_ : malformed(error.message());
      if (now == 0) break;
    }
    finish_if_done();
    return taken;
  }

  Result<void> put_end() override {
    Error error;
    parser_->put_eof(error);
    if (error) return malformed("the message was cut short");
    finish_if_done();
    return {};
  }

  bool done() const override { return parser_->is_done(); }
  bool begun() const override { return parser_->got_some(); }
  bool keep_alive() const override { return parser_->keep_alive(); }
  bool upgrade() const override { return parser_->upgrade(); }
  bool takes_bare_line_feeds() const override { return !kRequest; }

  void next(bool no_body) override {
    parser_ = std::make_unique<Parser>(*this);
    if constexpr (!kRequest) parser_->skip(no_body);
    head_done_ = expects_continue_ = shown_ = finished_ = false;
    searched_ = 0;
    request_ = {};
    response_ = {};
    trailers_ = {};
  }

 private:
  bool set_version(int version) {
    version_ = version == 10 ? Version::kHttp10 : Version::kHttp11;
    return version == 10 || version == 11;
  }

  // The problem of the head, or null; then the event was called.
  const char* head_complete() {
    head_done_ = true;
    if constexpr (kRequest) {
      request_.version = version_;
      const auto hosts = request_.headers.all("host");
      if (hosts.size() > 1) return "several Host fields";
      if (hosts.empty() && version_ == Version::kHttp11) return "no Host field";
      if (!hosts.empty()) request_.authority = hosts.front();
      if (!normalize_target(request_)) return "unknown form of request target";
      expects_continue_ =
          version_ == Version::kHttp11 && request_.headers.has_token("expect", "100-continue");
      this->events_.on_request(std::move(request_));
    } else {
      this->events_.on_response(std::move(response_));
    }
    return nullptr;
  }

  void finish_if_done() {
    if (!parser_->is_done() || finished_) return;
    finished_ = true;
    this->events_.on_message_end(std::move(trailers_));
  }

  std::unique_ptr<Parser> parser_;
  std::optional<Status> failure_;
  Version version_ = Version::kHttp11;
  RequestHead request_;
  ResponseHead response_;
  Headers trailers_;
  bool finished_ = false;
};

}  // namespace http1_parser

Http1Parser::Http1Parser(Kind kind, Http1Limits limits, Events& events) {
  if (kind == Kind::kRequests) {
    machine_ = std::make_unique<http1_parser::BeastMachine<true>>(limits, events);
  } else {
    machine_ = std::make_unique<http1_parser::BeastMachine<false>>(limits, events);
  }
}

Http1Parser::~Http1Parser() = default;

Result<size_t> Http1Parser::feed(std::string_view bytes) {
  if (bytes.empty() || machine_->done()) return 0;
  return machine_->feed(bytes);
}

Result<void> Http1Parser::feed_end() {
  if (machine_->done()) return {};
  if (!machine_->begun())
    return http1_parser::malformed("the connection ended before a head was complete");
  return machine_->put_end();
}

bool Http1Parser::message_done() const { return machine_->done(); }
bool Http1Parser::in_message() const { return machine_->shown_ && !machine_->done(); }
void Http1Parser::next_message(bool no_body) { machine_->next(no_body); }
bool Http1Parser::keep_alive() const { return machine_->keep_alive(); }
bool Http1Parser::expects_continue() const { return machine_->expects_continue_; }
bool Http1Parser::upgrade() const { return machine_->upgrade(); }

namespace http1_parser {

void append_fields(std::string& out, const Headers& headers) {
  for (const auto& [name, value] : headers) {
    out.append(name).append(": ");
    const size_t begin = out.size();
    out.append(value);
    // An untrusted value must not begin a new line.
    std::replace_if(
        out.begin() + static_cast<ptrdiff_t>(begin), out.end(),
        [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
    out.append("\r\n");
  }
}

}  // namespace http1_parser

std::string print_request_head(const RequestHead& head) {
  std::string out = head.method + " " + head.target + " HTTP/1.1\r\n";
  if (!head.headers.has("host")) out += "host: " + head.authority + "\r\n";
  http1_parser::append_fields(out, head.headers);
  return out += "\r\n";
}

std::string print_response_head(const ResponseHead& head, Version version) {
  std::string out = version == Version::kHttp10 ? "HTTP/1.0 " : "HTTP/1.1 ";
  out.append(std::to_string(head.status))
      .append(" ")
      .append(status_text(head.status))
      .append("\r\n");
  http1_parser::append_fields(out, head.headers);
  return out += "\r\n";
}

std::string print_chunk_size(size_t size) {
  char text[24];
  const int length = std::snprintf(text, sizeof(text), "%zx\r\n", size);
  return {text, static_cast<size_t>(length)};
}

std::string print_last_chunk(const Headers& trailers) {
  std::string out = "0\r\n";
  http1_parser::append_fields(out, trailers);
  return out += "\r\n";
}

}  // namespace proa::http
