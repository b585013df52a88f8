#include "cel/functions/kubernetes/go_url.h"

#include <algorithm>

#include "api/validation/go_text.h"
#include "base/strings.h"
#include "cel/functions/kubernetes/addresses.h"

namespace proa::cel {
namespace go_url {

// Parts of a URL that have rules of their own for what is escaped.
enum class Part : uint8_t { kPath, kHost, kZone, kUser, kQuery, kFragment };

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool has(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

// Go's shouldEscape.
bool needs_escape(char c, Part part) {
  if (is_alphanumeric(c) || has("-_.~", c)) return false;
  if ((part == Part::kHost || part == Part::kZone) && has("!$&'()*+,;=:[]<>\"", c)) return false;
  if (has("$&+,/:;=?@", c)) {
    switch (part) {
      case Part::kPath:
        return c == '?';
      case Part::kUser:
        return has("@/?:", c);
      case Part::kFragment:
        return false;
      default:
        return true;
    }
  }
  return part != Part::kFragment || !has("!()*", c);
}

std::string escape(std::string_view text, Part part) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (!needs_escape(c, part)) {
      out += c;
      continue;
    }
    out += '%';
    out += kHex[static_cast<uint8_t>(c) >> 4];
    out += kHex[c & 15];
  }
  return out;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Go's unescape: what becomes of a text, or why it fails.
struct Unescaped {
  std::string text;
  std::string error;
};

// A byte behind a percent sign that may not be escaped in this part.
bool is_forbidden(std::string_view escaped, Part part) {
  if (escaped == "%25") return false;
  const int value = hex_digit(escaped[1]) * 16 + hex_digit(escaped[2]);
  if (part == Part::kHost) return value < 0x80;
  return part == Part::kZone && value != ' ' && needs_escape(static_cast<char>(value), Part::kHost);
}

Unescaped unescape(std::string_view text, Part part) {
  const bool in_host = part == Part::kHost || part == Part::kZone;
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      const std::string_view escaped = text.substr(i, 3);
      if (escaped.size() < 3 || hex_digit(escaped[1]) < 0 || hex_digit(escaped[2]) < 0 ||
          is_forbidden(escaped, part)) {
        return {.text = {}, .error = "invalid URL escape " + api::quoted(escaped)};
      }
      out += static_cast<char>(hex_digit(escaped[1]) * 16 + hex_digit(escaped[2]));
      i += 2;
    } else if (in_host && static_cast<uint8_t>(c) < 0x80 && needs_escape(c, part)) {
      return {.text = {},
              .error = "invalid character " + api::quoted(text.substr(i, 1)) + " in host name"};
    } else {
      out += c == '+' && part == Part::kQuery ? ' ' : c;
    }
  }
  return {.text = std::move(out), .error = {}};
}

bool is_encoded(std::string_view text, Part part) {
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return has("!$&'()*+,;=:@[]%", c) || !needs_escape(c, part); });
}

// A part in its escaped form: as it was written where that is possible.
std::string escaped_form(std::string_view written, std::string_view text, Part part) {
  return is_encoded(written, part) ? std::string(written) : escape(text, part);
}

bool is_port(std::string_view text) {
  return text.empty() ||
         (text[0] == ':' && text.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

bool is_user_information(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alphanumeric(c) || has("-._:~!$&'()*+,;=%@", c); });
}

class Reader {
 public:
  // Empty on success.
  std::string read(std::string_view text, bool request) {
    for (const char c : text) {
      if (static_cast<uint8_t>(c) < ' ' || c == 0x7f) {
        return "net/url: invalid control character in URL";
      }
    }
    if (text.empty() && request) return "empty url";
    if (text == "*") {
      url_.escaped_path = path_ = "*";
      return {};
    }
    std::string error = read_scheme(text);
    if (!error.empty()) return error;
    read_query(text);
    if (!text.starts_with('/')) {
      if (!url_.scheme.empty()) {
        opaque_ = text;
        return {};
      }
      if (request) return "invalid URI for request";
      if (text.substr(0, text.find('/')).find(':') != std::string_view::npos) {
        return "first path segment in URL cannot contain colon";
      }
    }
    const bool may_have_host = !url_.scheme.empty() || (!request && !text.starts_with("///"));
    if (may_have_host && text.starts_with("//")) {
      text.remove_prefix(2);
      const size_t end = std::min(text.find('/'), text.size());
      error = read_authority(text.substr(0, end));
      if (!error.empty()) return error;
      text.remove_prefix(end);
    } else if (!url_.scheme.empty()) {
      omit_host_ = true;
    }
    return read_path(text);
  }

  std::string read_fragment(std::string_view text) {
    Unescaped fragment = unescape(text, Part::kFragment);
    if (!fragment.error.empty()) return fragment.error;
    if (!fragment.text.empty()) {
      fragment_ = "#" + escaped_form(text, fragment.text, Part::kFragment);
    }
    return {};
  }

  GoUrl finish() {
    std::string& out = url_.text;
    if (!url_.scheme.empty()) out = url_.scheme + ":";
    if (!opaque_.empty()) {
      out += opaque_;
    } else {
      print_host(out);
      print_path(out);
    }
    if (force_query_ || !url_.query.empty()) out += "?" + url_.query;
    out += fragment_;
    return std::move(url_);
  }

 private:
  std::string read_scheme(std::string_view& text) {
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == ':') {
        if (i == 0) return "missing protocol scheme";
        url_.scheme = to_lower(text.substr(0, i));
        text.remove_prefix(i + 1);
        return {};
      }
      const bool letter = is_alphanumeric(c) && !(c >= '0' && c <= '9');
      if (!letter && (i == 0 || !(is_alphanumeric(c) || has("+-.", c)))) return {};
    }
    return {};
  }

  void read_query(std::string_view& text) {
    const size_t mark = text.find('?');
    if (mark == std::string_view::npos) return;
    force_query_ = mark + 1 == text.size();
    url_.query = text.substr(mark + 1);
    text = text.substr(0, mark);
  }

  std::string read_authority(std::string_view text) {
    const size_t at = text.rfind('@');
    const bool has_user = at != std::string_view::npos;
    std::string error = read_host(has_user ? text.substr(at + 1) : text);
    if (!error.empty() || !has_user) return error;
    const std::string_view user = text.substr(0, at);
    if (!is_user_information(user)) return "net/url: invalid userinfo";
    const size_t colon = user.find(':');
    const Unescaped name = unescape(user.substr(0, colon), Part::kUser);
    if (!name.error.empty()) return name.error;
    user_ = escape(name.text, Part::kUser);
    if (colon != std::string_view::npos) {
      const Unescaped password = unescape(user.substr(colon + 1), Part::kUser);
      if (!password.error.empty()) return password.error;
      *user_ += ":" + escape(password.text, Part::kUser);
    }
    return {};
  }

  std::string read_host(std::string_view text) {
    const size_t open = text.rfind('[');
    if (open == 0) return read_literal(text);
    if (open != std::string_view::npos) return "invalid IP-literal";
    size_t colon = text.find(':');
    if (colon != std::string_view::npos) {
      // Other schemes may have a list of hosts.
      if (url_.scheme != "http" && url_.scheme != "https") colon = text.rfind(':');
      if (!is_port(text.substr(colon))) {
        return "invalid port " + api::quoted(text.substr(colon)) + " after host";
      }
    }
    Unescaped host = unescape(text, Part::kHost);
    url_.host = std::move(host.text);
    return host.error;
  }

  // [address%25zone]:port
  std::string read_literal(std::string_view text) {
    const size_t close = text.rfind(']');
    if (close == std::string_view::npos) return "missing ']' in host";
    const std::string_view port = text.substr(close + 1);
    if (!is_port(port)) return "invalid port " + api::quoted(port) + " after host";
    const std::string_view name = text.substr(1, close - 1);
    const size_t zone = std::min(name.find("%25"), name.size());
    Unescaped host = unescape(name.substr(0, zone), Part::kHost);
    if (!host.error.empty()) return host.error;
    const Unescaped suffix = unescape(name.substr(zone), Part::kZone);
    if (!suffix.error.empty()) return suffix.error;
    host.text += suffix.text;
    const std::string problem = address_error(host.text);
    if (!problem.empty()) return "invalid host: " + problem;
    if (host.text.find(':') == std::string::npos) return "invalid IP-literal";
    url_.host = "[" + host.text + "]" + std::string(port);
    return {};
  }

  std::string read_path(std::string_view text) {
    Unescaped path = unescape(text, Part::kPath);
    if (!path.error.empty()) return path.error;
    url_.escaped_path = path.text == "*" ? "*" : escaped_form(text, path.text, Part::kPath);
    path_ = std::move(path.text);
    return {};
  }

  void print_host(std::string& out) const {
    const bool none = url_.host.empty() && !user_;
    if ((url_.scheme.empty() && none) || (omit_host_ && none)) return;
    if (!url_.host.empty() || !path_.empty() || user_) out += "//";
    if (user_) out += *user_ + "@";
    out += escape(url_.host, Part::kHost);
  }

  void print_path(std::string& out) const {
    const std::string& path = url_.escaped_path;
    if (!path.empty() && path[0] != '/' && !url_.host.empty()) out += '/';
    if (out.empty() && path.substr(0, path.find('/')).find(':') != std::string::npos) out += "./";
    out += path;
  }

  GoUrl url_;
  std::string opaque_;
  std::string path_;
  std::string fragment_;             // escaped, with its sign
  std::optional<std::string> user_;  // escaped
  bool omit_host_ = false;
  bool force_query_ = false;
};

}  // namespace go_url

std::optional<GoUrl> parse_url(std::string_view text, bool request, std::string& error) {
  const size_t mark = request ? std::string_view::npos : text.find('#');
  const std::string_view without_fragment = text.substr(0, mark);
  go_url::Reader reader;
  error = reader.read(without_fragment, request);
  if (!error.empty()) {
    error = "parse " + api::quoted(without_fragment) + ": " + error;
    return std::nullopt;
  }
  if (mark != std::string_view::npos) error = reader.read_fragment(text.substr(mark + 1));
  if (!error.empty()) {
    error = "parse " + api::quoted(text) + ": " + error;
    return std::nullopt;
  }
  return reader.finish();
}

std::optional<std::string> unescape_query(std::string_view text) {
  go_url::Unescaped result = go_url::unescape(text, go_url::Part::kQuery);
  if (!result.error.empty()) return std::nullopt;
  return std::move(result.text);
}

}  // namespace proa::cel
