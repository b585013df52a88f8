#include <algorithm>
#include <charconv>
#include <utility>

#include "base/strings.h"
#include "custom/columns/json_path_node.h"

namespace proa::custom {
namespace json_path_parser {

using Node = JsonPath::Node;
using Nodes = std::vector<Node>;

Status failed(std::string message) { return {Reason::kBadRequest, std::move(message)}; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) {
  return c == '_' || is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_terminator(char c) {
  constexpr std::string_view kTerminators = " \t\r\n.,[]$@{}";
  return kTerminators.find(c) != std::string_view::npos;
}

bool read_integer(std::string_view text, int64_t& number) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

// Upstream's parser: the end of the text is the brace that closes the last action.
class Parser {
 public:
  Parser(std::string_view text, json::Document& document) : rest_(text), document_(document) {}

  // All of a template: actions, and texts between them.
  Result<Nodes> read() {
    Nodes all;
    while (!rest_.empty()) {
      const size_t start = rest_.find('{');
      if (start != 0) {
        add_constant(json::Value::string(document_.arena(), take(start)), true);
        all.push_back(std::move(nodes_.back()));
        nodes_.clear();
        continue;
      }
      rest_.remove_prefix(1);
      Nodes action = TRY(read_action());
      Node node{.kind = Node::Kind::kAction};
      node.lists.push_back(std::move(action));
      all.push_back(std::move(node));
    }
    return all;
  }

 private:
  Result<Nodes> read_action() {
    nodes_.clear();
    while (!rest_.starts_with('}')) {
      if (rest_.empty()) return failed("unclosed action");
      TRY(read_step());
    }
    rest_.remove_prefix(1);
    return std::exchange(nodes_, {});
  }

  // What stands inside another action. As upstream, only its first action counts, but all must be
  // valid.
  Result<Nodes> read_inner(std::string_view text) {
    const std::string whole = "{" + std::string(text) + "}";
    Nodes all = TRY(Parser(whole, document_).read());
    return std::move(all.front().lists.front());
  }

  Result<void> read_step() {
    const char c = rest_.front();
    if (rest_.starts_with("[?(")) return read_filter();
    if (rest_.starts_with("..")) return read_recursive();
    if (c == '\n' || c == '\r') return failed("unclosed action");
    if (c == '[') return read_array();
    if (c == '"' || c == '\'') return read_quoted();
    if (c == '+' || c == '-' || is_digit(c)) return read_number();
    if (is_name(c)) return read_identifier();
    if (c != ' ' && c != '@' && c != '$' && c != '.') {
      return failed("unrecognized character in action");
    }
    rest_.remove_prefix(1);
    if (c == '.') read_field();
    return {};
  }

  void read_field() {
    size_t size = 0;
    while (size < rest_.size() && !is_terminator(rest_[size])) {
      size += rest_[size] == '\\' ? 2 : 1;
    }
    size = std::min(size, rest_.size());
    const std::string_view text = take(size);
    if (text == "*") return add({.kind = Node::Kind::kWildcard});
    std::string name(text);
    std::erase(name, '\\');
    add({.kind = Node::Kind::kField, .name = std::move(name)});
  }

  Result<void> read_recursive() {
    if (!nodes_.empty() && nodes_.back().kind == Node::Kind::kRecursive) {
      return failed("invalid multiple recursive descent");
    }
    rest_.remove_prefix(2);
    add({.kind = Node::Kind::kRecursive});
    if (!rest_.empty() && is_name(rest_.front())) read_field();
    return {};
  }

  Result<void> read_identifier() {
    size_t size = 0;
    while (size < rest_.size() && !is_terminator(rest_[size])) ++size;
    const std::string_view name = take(size);
    if (name == "true" || name == "false") {
      add_constant(json::Value::boolean(name == "true"), false);
    } else {
      const auto kind = name == "range" ? Node::Kind::kRange
                        : name == "end" ? Node::Kind::kEnd
                                        : Node::Kind::kUnknown;
      add({.kind = kind, .name = std::string(name)});
    }
    return {};
  }

  Result<void> read_number() {
    size_t size = 1;
    while (size < rest_.size() && (is_digit(rest_[size]) || rest_[size] == '.')) ++size;
    const std::string_view text = take(size);
    int64_t integer = 0;
    if (read_integer(text, integer)) {
      add_constant(json::Value::integer(integer), false);
      return {};
    }
    double number = 0;
    const char* const start = text.data() + (text.front() == '+' ? 1 : 0);
    const auto read = std::from_chars(start, text.data() + text.size(), number);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
      return failed("cannot parse number " + std::string(text));
    }
    add_constant(json::Value::number(number), false);
    return {};
  }

  Result<void> read_quoted() {
    const char quote = rest_.front();
    size_t end = 1;
    while (end < rest_.size() && rest_[end] != '\n' &&
           (rest_[end] != quote || rest_[end - 1] == '\\')) {
      ++end;
    }
    if (end >= rest_.size() || rest_[end] != quote) return failed("unterminated quoted string");
    const std::string_view inner = take(end + 1).substr(1, end - 1);
    std::string text;
    for (size_t i = 0; i < inner.size(); ++i) {
      if (inner[i] != '\\') {
        text += inner[i];
        continue;
      }
      constexpr std::string_view kEscapes = "abfnrtv\\";
      constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\";
      if (++i == inner.size()) return failed("unquote string error");
      const size_t known = kEscapes.find(inner[i]);
      if (known == std::string_view::npos && inner[i] != quote) {
        return failed("unquote string error");
      }
      text += known == std::string_view::npos ? quote : kMeanings[known];
    }
    add_constant(json::Value::string(document_.arena(), text), true);
    return {};
  }

  Result<void> read_array() {
    const size_t end = rest_.find_first_of("]\n");
    if (end == std::string_view::npos || rest_[end] == '\n') return failed("unterminated array");
    const std::string_view text = take(end + 1).substr(1, end - 1);
    if (text == "*") return read_slice(":");
    if (text.find(',') != std::string_view::npos) return read_union(text);
    const bool quoted = text.size() >= 2 && text.front() == '\'' && text.back() == '\'' &&
                        text.substr(1, text.size() - 2).find('\'') == std::string_view::npos;
    if (!quoted) return read_slice(text);
    const std::string path = "." + std::string(text.substr(1, text.size() - 2));
    Nodes inner = TRY(read_inner(path));
    for (Node& node : inner) nodes_.push_back(std::move(node));
    return {};
  }

  Result<void> read_union(std::string_view text) {
    Node node{.kind = Node::Kind::kUnion};
    for (std::string_view part : split(text, ',')) {
      const size_t start = part.find_first_not_of(' ');
      part = start == std::string_view::npos
                 ? std::string_view()
                 : part.substr(start, part.find_last_not_of(' ') + 1 - start);
      const std::string one = "[" + std::string(part) + "]";
      node.lists.push_back(TRY(read_inner(one)));
    }
    add(std::move(node));
    return {};
  }

  Result<void> read_slice(std::string_view text) {
    const std::vector<std::string_view> parts = split(text, ':');
    const auto is_bound = [](std::string_view part) {
      if (part.starts_with('-')) part.remove_prefix(1);
      return std::all_of(part.begin(), part.end(), is_digit);
    };
    if (parts.size() > 3 || !std::all_of(parts.begin(), parts.end(), is_bound)) {
      return failed("invalid array index " + std::string(text));
    }
    Node node{.kind = Node::Kind::kArray};
    for (size_t i = 0; i < 3; ++i) {
      Node::Bound& bound = node.bounds[i];
      if (i < parts.size()) {
        if (parts[i].empty()) continue;
        bound.known = true;
        if (!read_integer(parts[i], bound.value)) {
          return failed("array index " + std::string(parts[i]) + " is not a number");
        }
      } else if (i == 1) {
        bound = {.value = node.bounds[0].value + 1, .known = true, .derived = true};
      }
    }
    add(std::move(node));
    return {};
  }

  Result<void> read_filter() {
    rest_.remove_prefix(3);
    char quote = 0;
    bool closed = false;
    size_t end = 0;
    for (;; ++end) {
      if (end >= rest_.size() || rest_[end] == '\n') return failed("unterminated filter");
      const char c = rest_[end];
      if (c == '"' || c == '\'') {
        if (quote == 0) {
          quote = c;
        } else if (c == quote && rest_[end - 1] != '\\') {
          closed = true;
        }
      } else if (c == ')' && (quote != 0) == closed) {
        break;
      }
    }
    if (end + 1 >= rest_.size() || rest_[end + 1] != ']') {
      return failed("unclosed array expect ]");
    }
    const std::string_view text = take(end + 2).substr(0, end);
    constexpr std::string_view kOperators = "!<>=";
    const size_t start = text.find_first_of(kOperators);
    const size_t stop = text.find_first_not_of(kOperators, start);
    const bool compares =
        start != 0 && start != std::string_view::npos && stop != std::string_view::npos;
    Node node{.kind = Node::Kind::kFilter,
              .name = compares ? std::string(text.substr(start, stop - start)) : "exists"};
    node.lists.push_back(TRY(read_inner(compares ? text.substr(0, start) : text)));
    if (compares) node.lists.push_back(TRY(read_inner(text.substr(stop))));
    add(std::move(node));
    return {};
  }

  std::string_view take(size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  void add(Node node) { nodes_.push_back(std::move(node)); }
  void add_constant(json::Value value, bool once) {
    auto* place = new (document_.arena().allocate(sizeof(json::Value), alignof(json::Value)))
        json::Value(std::move(value));
    add({.kind = Node::Kind::kConstant, .constant = place, .once = once});
  }

  std::string_view rest_;
  json::Document& document_;
  Nodes nodes_;
};

}  // namespace json_path_parser

Result<std::vector<JsonPath::Node>> parse_json_path(std::string_view text,
                                                    json::Document& document) {
  const std::string whole = "{" + std::string(text) + "}";
  return json_path_parser::Parser(whole, document).read();
}

}  // namespace proa::custom
