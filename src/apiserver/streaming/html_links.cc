#include "apiserver/streaming/html_links.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"

namespace proa::apiserver {
namespace html_links {

struct Known {
  std::string_view tag;
  std::array<std::string_view, 4> attributes;
};

constexpr Known kAddresses[] = {
    {"a", {"href"}},
    {"applet", {"codebase"}},
    {"area", {"href"}},
    {"audio", {"src"}},
    {"base", {"href"}},
    {"blockquote", {"cite"}},
    {"body", {"background"}},
    {"button", {"formaction"}},
    {"command", {"icon"}},
    {"del", {"cite"}},
    {"embed", {"src"}},
    {"form", {"action"}},
    {"frame", {"longdesc", "src"}},
    {"head", {"profile"}},
    {"html", {"manifest"}},
    {"iframe", {"longdesc", "src"}},
    {"img", {"longdesc", "src", "usemap"}},
    {"input", {"src", "usemap", "formaction"}},
    {"ins", {"cite"}},
    {"link", {"href"}},
    {"object", {"classid", "codebase", "data", "usemap"}},
    {"q", {"cite"}},
    {"script", {"src"}},
    {"source", {"src"}},
    {"video", {"poster", "src"}},
};

// Tags whose content is text, up to their end tag.
constexpr std::array<std::string_view, 8> kRaw = {"iframe", "noembed",  "noframes", "script",
                                                  "style",  "textarea", "title",    "xmp"};

constexpr size_t kMaxName = 16;
constexpr size_t kMaxAddress = 8192;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

void add_to_name(std::string& name, char c) {
  if (name.size() < kMaxName) name += lower(c);
}

bool is_address(std::string_view tag, std::string_view attribute) {
  for (const Known& known : kAddresses) {
    if (known.tag != tag) continue;
    return std::find(known.attributes.begin(), known.attributes.end(), attribute) !=
           known.attributes.end();
  }
  return false;
}

}  // namespace html_links

std::string HtmlLinks::pass(std::string_view part, bool end) {
  for (const char c : part) take(c);
  if (end) out_ += std::exchange(value_, {});  // cut off in a value
  return std::exchange(out_, {});
}

void HtmlLinks::take(char c) {
  using namespace html_links;
  switch (state_) {
    case State::kText:
      if (c == '<') state_ = State::kOpen;
      break;
    case State::kOpen:
      tag_.clear();
      if (is_letter(c)) {
        add_to_name(tag_, c);
        state_ = State::kTagName;
      } else if (c != '<') {
        state_ = c == '!' ? State::kDeclaration : State::kText;
        matched_ = 0;
      }
      break;
    case State::kDeclaration:
    case State::kComment:
      take_comment(c);
      break;
    case State::kRaw:
      take_in_raw(c);
      break;
    case State::kQuoted:
    case State::kBare:
      return take_in_value(c);
    default:
      return take_in_tag(c);
  }
  out_ += c;
}

void HtmlLinks::take_comment(char c) {
  if (state_ == State::kDeclaration) {  // "<!--" begins one, another "<!" is like text
    if (c != '-') {
      state_ = State::kText;
    } else if (++matched_ == 2) {
      state_ = State::kComment;
    }
    return;
  }
  // The dashes of "<!--" count: "<!-->" is a whole comment.
  if (c == '>' && matched_ >= 2) {
    state_ = State::kText;
  } else {
    matched_ = c == '-' ? matched_ + 1 : 0;
  }
}

// Looks for "</" and the tag's name.
void HtmlLinks::take_in_raw(char c) {
  using namespace html_links;
  if (matched_ == tag_.size() + 2) {
    if (is_space(c) || c == '/' || c == '>') {
      state_ = State::kText;
      return;
    }
    matched_ = 0;
  }
  const char wanted = matched_ == 0 ? '<' : matched_ == 1 ? '/' : tag_[matched_ - 2];
  matched_ = lower(c) == wanted ? matched_ + 1 : (c == '<' ? 1 : 0);
}

void HtmlLinks::take_in_tag(char c) {
  using namespace html_links;
  const bool ends_name = is_space(c) || c == '/' || c == '>';
  if (state_ == State::kTagName) {
    if (ends_name) {
      state_ = State::kBeforeName;
    } else {
      add_to_name(tag_, c);
    }
  } else if (state_ == State::kName && c == '=') {
    state_ = State::kBeforeValue;
  } else if (state_ == State::kName) {
    if (ends_name) {
      state_ = State::kAfterName;
    } else {
      add_to_name(name_, c);
    }
  } else if (state_ == State::kAfterName && c == '=') {
    state_ = State::kBeforeValue;
  } else if (state_ == State::kBeforeValue) {
    if (!is_space(c) && c != '>') return begin_value(c);
  } else if (!ends_name) {  // before or after a name: another one begins
    name_.clear();
    add_to_name(name_, c);
    state_ = State::kName;
  }
  out_ += c;
  if (c == '>') end_tag();
}

void HtmlLinks::begin_value(char first) {
  is_address_ = html_links::is_address(tag_, name_);
  value_.clear();
  if (first == '"' || first == '\'') {
    quote_ = first;
    out_ += first;
    state_ = State::kQuoted;
  } else {
    state_ = State::kBare;
    take_in_value(first);
  }
}

void HtmlLinks::take_in_value(char c) {
  const bool quoted = state_ == State::kQuoted;
  if (quoted ? c == quote_ : html_links::is_space(c) || c == '>') {
    end_value();
    state_ = State::kBeforeName;
    out_ += c;
    if (c == '>' && !quoted) end_tag();
    return;
  }
  (is_address_ ? value_ : out_) += c;
  if (value_.size() <= html_links::kMaxAddress) return;
  out_ += std::exchange(value_, {});
  is_address_ = false;  // too long for one
}

void HtmlLinks::end_value() {
  if (is_address_) out_ += rewrite_(std::exchange(value_, {}));
}

void HtmlLinks::end_tag() {
  const auto& raw = html_links::kRaw;
  const bool is_raw = std::find(raw.begin(), raw.end(), tag_) != raw.end();
  state_ = is_raw ? State::kRaw : State::kText;
  matched_ = 0;
}

}  // namespace proa::apiserver
