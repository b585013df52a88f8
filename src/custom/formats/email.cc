#include <string_view>

#include "base/net/ip_address.h"
#include "base/utf8.h"
#include "custom/formats/formats.h"

namespace proa::custom {
namespace email {

// Reads what RFC 5322 calls an address, as Go's net/mail does.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  // One address and nothing else.
  bool read() {
    skip_space();
    if (text_.empty() || !read_address()) return false;
    return skip_comments() && text_.empty();
  }

 private:
  bool read_address() {
    const std::string_view start = text_;
    if (read_spec()) {
      skip_space();
      return !text_.starts_with('(') || read_comment();
    }
    text_ = start;
    if (!text_.starts_with('<') && !read_phrase()) return false;
    skip_space();
    // A group of one address: "name: a@b;".
    if (take(':')) return read_group();
    return take('<') && read_spec() && take('>');
  }

  bool read_group() {
    skip_space();
    // An empty group is no address.
    if (text_.starts_with(';') || !skip_comments() || !read_address()) return false;
    return skip_comments() && take(';') && skip_comments();
  }

  bool read_spec() {
    skip_space();
    if (text_.empty()) return false;
    if (text_.starts_with('"')) {
      bool empty = true;
      if (!read_quoted(empty) || empty) return false;
    } else if (!read_atom(false)) {
      return false;
    }
    if (!take('@')) return false;
    skip_space();
    if (text_.empty()) return false;
    return text_.starts_with('[') ? read_domain_literal() : read_atom(false);
  }

  bool read_phrase() {
    size_t words = 0;
    while (true) {
      if (words > 0 && !skip_comments()) return false;
      skip_space();
      if (text_.empty()) break;
      const std::string_view start = text_;
      bool empty = true;
      if (!(text_.starts_with('"') ? read_quoted(empty) : read_atom(true))) {
        text_ = start;
        break;
      }
      ++words;
    }
    return words > 0;
  }

  static bool is_visible(const Utf8& c) {
    return (c.code >= '!' && c.code <= '~') || c.code >= 0x80;
  }

  // `permissive`: dots may be anywhere.
  bool read_atom(bool permissive) {
    constexpr std::string_view kSpecials = "()<>[]:;@\\,\"";
    size_t size = 0;
    while (size < text_.size()) {
      const Utf8 c = decode_utf8(text_.substr(size));
      if (!c.valid) return false;
      if (!is_visible(c) ||
          (c.code < 0x80 && kSpecials.find(static_cast<char>(c.code)) != std::string_view::npos)) {
        break;
      }
      size += c.size;
    }
    const std::string_view atom = text_.substr(0, size);
    if (atom.empty()) return false;
    text_.remove_prefix(size);
    return permissive || (!atom.starts_with('.') && !atom.ends_with('.') &&
                          atom.find("..") == std::string_view::npos);
  }

  bool read_quoted(bool& empty) {
    text_.remove_prefix(1);
    bool escaped = false;
    while (!text_.empty()) {
      const Utf8 c = decode_utf8(text_);
      if (!c.valid) return false;
      text_.remove_prefix(c.size);
      const bool plain = is_visible(c) || c.code == ' ' || c.code == '\t';
      if (escaped) {
        if (!plain) return false;
        escaped = false;
        empty = false;
      } else if (c.code == '"') {
        return true;
      } else if (c.code == '\\') {
        escaped = true;
      } else if (!plain) {
        return false;
      } else {
        empty = false;
      }
    }
    return false;
  }

  bool read_domain_literal() {
    text_.remove_prefix(1);
    const size_t end = text_.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view literal = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    IpNotation notation;
    return parse_ip(literal, &notation).has_value() && !notation.leading_zeros;
  }

  // Comments may contain comments.
  bool read_comment() {
    size_t depth = 0;
    while (!text_.empty()) {
      const char c = text_.front();
      text_.remove_prefix(1);
      if (c == '\\') {
        if (text_.empty()) return false;
        text_.remove_prefix(1);
      } else if (c == '(') {
        ++depth;
      } else if (c == ')' && --depth == 0) {
        return true;
      }
    }
    return false;
  }

  bool skip_comments() {
    skip_space();
    while (text_.starts_with('(')) {
      if (!read_comment()) return false;
      skip_space();
    }
    return true;
  }

  void skip_space() {
    const size_t start = text_.find_first_not_of(" \t");
    text_.remove_prefix(start == std::string_view::npos ? text_.size() : start);
  }

  bool take(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  std::string_view text_;
};

}  // namespace email

bool is_email(std::string_view text) { return email::Reader(text).read(); }

}  // namespace proa::custom
