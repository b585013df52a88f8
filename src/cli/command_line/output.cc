#include "cli/command_line/output.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/print.h"
#include "json/yaml.h"

namespace proa::cli {
namespace output {

// Whether YAML reads the unquoted text as a string: not as a number, a boolean or an indicator.
bool is_plain(std::string_view text) {
  const auto ordinary = [](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') ||
           std::string_view("_./+-").find(c) != std::string_view::npos;
  };
  if (text.empty() || text.front() == '-' || !std::ranges::all_of(text, ordinary)) return false;
  const auto read = json::parse_yaml(text);
  return read.ok() && read->root().is(json::Kind::kString) && read->root().as_string() == text;
}

void append_text(std::string& out, std::string_view text) {
  if (is_plain(text)) {
    out += text;
  } else {
    json::print_string_to(out, text);  // a JSON string is also a YAML string
  }
}

// Appends the value after "key:" or "-" in a line of that indentation.
void append_yaml(std::string& out, const json::Value& value, size_t indent) {
  const bool block = value.size() > 0;
  if (value.is(json::Kind::kObject) && block) {
    for (const json::Member& member : value.members()) {
      out.append(out.ends_with("- ") ? 0 : indent, ' ');
      append_text(out, member.key);
      out += member.value.size() > 0 ? ":\n" : ": ";
      append_yaml(out, member.value, indent + (member.value.is(json::Kind::kObject) ? 2 : 0));
    }
  } else if (value.is(json::Kind::kArray) && block) {
    for (const json::Value& item : value.items()) {
      out.append(out.ends_with("- ") ? 0 : indent, ' ').append("- ");
      append_yaml(out, item, indent + 2);
    }
  } else if (value.is(json::Kind::kString)) {
    append_text(out, value.as_string());
    out += "\n";
  } else {
    json::print_to(out, value);
    out += "\n";
  }
}

}  // namespace output

Flag output_flag() {
  return {.name = "output",
          .kind = ValueKind::kChoice,
          .fallback = "text",
          .summary = "output format",
          .choices = {"text", "json", "yaml"},
          .letter = 'o'};
}

std::string format_value(const json::Value& value, std::string_view format) {
  if (format == "yaml") {
    std::string text;
    output::append_yaml(text, value, 0);
    return text;
  }
  CHECK(format == "json");
  return json::print_pretty(value) + "\n";
}

std::string counted(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string format_bytes(uint64_t bytes) {
  constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto amount = static_cast<double>(bytes);
  size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < std::size(kUnits); ++unit) amount /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

}  // namespace proa::cli
