#include "api/schema/attributes.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "api/schema/items.h"
#include "api/schema/type_builder.h"
#include "base/strings.h"

namespace proa::api {
namespace attributes {

// "name" and what stands in the parentheses behind it, if there are any.
struct Call {
  std::string_view name;
  std::string_view argument;
};

Call split_call(std::string_view word) {
  const size_t open = word.find('(');
  if (open == std::string_view::npos || word.back() != ')') return {word, {}};
  return {word.substr(0, open), word.substr(open + 1, word.size() - open - 2)};
}

std::vector<std::string_view> non_empty_words(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view line : split(text, '\n')) {
    for (const std::string_view word : split(line, ' ')) {
      if (!word.empty()) words.push_back(word);
    }
  }
  return words;
}

class Reader {
 public:
  Reader(json::Arena& arena, std::span<const std::string_view> words, Field& field)
      : arena_(arena), words_(words), field_(field) {}

  Result<std::string_view> read() {
    std::string_view description;
    while (next_ < words_.size()) {
      const std::string_view word = words_[next_++];
      if (word.front() == '"') {
        description = description_of(arena_, word);
      } else if (!(read_presence(word) || read_merging(split_call(word)) || read_value(word))) {
        return Status(Reason::kInternalError, fmt::format("\"{}\" is not allowed here", word));
      }
    }
    if (required_ && !omit_stated_) field_.omit = Omit::kNever;
    if (special_) {
      field_.rules =
          new (arena_.allocate(sizeof(FieldRules), alignof(FieldRules))) FieldRules(rules_);
    }
    return description;
  }

 private:
  bool read_presence(std::string_view word) {
    if (word == "required") {
      field_.required = required_ = true;
    } else if (word == "omitempty") {
      omit_stated_ = true;
    } else if (word == "always") {
      field_.omit = Omit::kNever;
    } else if (word == "omitzero") {
      field_.omit = Omit::kZero;
      omit_stated_ = true;
    } else if (word == "keeps-empty") {
      field_.pointer = true;
    } else {
      return false;
    }
    return true;
  }

  bool read_merging(const Call& call) {
    special_ = true;
    if (call.name == "atomic") {
      if (field_.shape == Shape::kList || field_.type->form == Form::kBytes) {
        rules_.list_type = ListType::kAtomic;
      } else {
        rules_.map_type = MapType::kAtomic;
      }
    } else if (call.name == "granular") {
      rules_.map_type = MapType::kGranular;
    } else if (call.name == "set") {
      rules_.list_type = ListType::kSet;
    } else if (call.name == "map" && !call.argument.empty()) {
      rules_.list_type = ListType::kMap;
      rules_.keys = keep<std::string_view>(arena_, split(call.argument, ','));
    } else if (call.name == "merge") {
      rules_.patch.merge = true;
      rules_.patch.key = call.argument;
    } else if (call.name == "key" && !call.argument.empty()) {
      rules_.patch.key = call.argument;
    } else if (call.name == "replace") {
      rules_.patch.replace = true;
    } else if (call.name == "retainKeys") {
      rules_.patch.retain_keys = true;
    } else {
      return false;
    }
    return true;
  }

  bool read_value(std::string_view word) {
    special_ = true;
    if (word == "deprecated") {
      rules_.deprecated = true;
    } else if (word == "milli") {
      rules_.milli = true;
    } else if (word.front() == '{' && word.back() == '}') {
      auto values = SchemaItem{word.substr(1, word.size() - 2)}.words();
      for (std::string_view& value : values) {
        if (value.front() == '"') value = value.substr(1, value.size() - 2);
      }
      rules_.values = keep<std::string_view>(arena_, values);
    } else if (next_ == words_.size()) {
      return false;  // the others need one more word
    } else if (word == "=") {
      rules_.default_json = words_[next_++];
    } else if (word == ":=") {
      rules_.server_default_json = words_[next_++];
    } else if (word == "go") {
      rules_.go_type = words_[next_++];
    } else if (word == "proto") {
      rules_.proto_name = words_[next_++];
    } else if (word == "gate") {
      rules_.gate = words_[next_++];
      rules_.gate_off = next_ < words_.size() && words_[next_] == "off";
      next_ += rules_.gate_off ? 1 : 0;
    } else {
      return false;
    }
    return true;
  }

  json::Arena& arena_;
  std::span<const std::string_view> words_;
  Field& field_;
  size_t next_ = 0;
  FieldRules rules_;
  bool special_ = false;  // the rules say something
  bool required_ = false;
  bool omit_stated_ = false;
};

}  // namespace attributes

Result<std::string_view> read_attributes(json::Arena& arena,
                                         std::span<const std::string_view> words, Field& field) {
  return attributes::Reader(arena, words, field).read();
}

Result<Union> read_union(json::Arena& arena, std::span<const std::string_view> words) {
  Union one;
  if (words[1] != "-") one.discriminator = words[1];
  std::vector<Union::Choice> choices;
  for (const std::string_view word : words.subspan(2)) {
    const auto halves = split_once(word, '=');
    if (!halves) return Status(Reason::kInternalError, "a union needs FIELD=VALUE");
    choices.push_back({halves->before, halves->after});
  }
  one.choices = keep<Union::Choice>(arena, choices);
  return one;
}

std::string_view description_of(json::Arena& arena, std::string_view quoted) {
  quoted.remove_prefix(1);
  if (quoted.ends_with('"')) quoted.remove_suffix(1);
  if (quoted.find('\n') == std::string_view::npos) return quoted;
  return arena.copy(join(attributes::non_empty_words(quoted), " "));
}

}  // namespace proa::api
