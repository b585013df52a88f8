#include "dns/config/corefile.h"

#include <fmt/format.h>

namespace proa::dns {
namespace corefile {

// A ConfigMap has no more, either.
constexpr size_t kMaxBytes = size_t{1} << 20;

struct Word {
  std::string text;
  size_t line = 0;
  bool quoted = false;

  bool is(std::string_view sign) const { return !quoted && text == sign; }
};

Status failure(size_t line, std::string_view what) {
  return Status(Reason::kInvalid, fmt::format("Corefile line {}: {}", line, what));
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Result<std::vector<Word>> all() {
    std::vector<Word> words;
    while (skip_to_word()) {
      Word word{.text = {}, .line = line_};
      if (text_[at_] == '"' || text_[at_] == '`') {
        word.quoted = true;
        if (!quoted(word.text)) return failure(word.line, "a quote is not closed");
      } else {
        const size_t end = std::min(text_.find_first_of(kSpaces, at_), text_.size());
        word.text = text_.substr(at_, end - at_);
        at_ = end;
      }
      words.push_back(std::move(word));
    }
    return words;
  }

 private:
  static constexpr std::string_view kSpaces = " \t\r\n";

  // Over white space and comments; false at the end.
  bool skip_to_word() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (kSpaces.find(c) != std::string_view::npos) {
        if (c == '\n') ++line_;
        ++at_;
      } else {
        return true;
      }
    }
    return false;
  }

  bool quoted(std::string& word) {
    const char quote = text_[at_++];
    while (at_ < text_.size()) {
      char c = text_[at_++];
      if (c == quote) return true;
      if (c == '\n') ++line_;
      // Only quotes are escaped: a backslash is part of regular expressions.
      if (quote == '"' && c == '\\' && at_ < text_.size() && text_[at_] == '"') c = text_[at_++];
      word += c;
    }
    return false;
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t line_ = 1;
};

class Parser {
 public:
  explicit Parser(std::vector<Word> words) : words_(std::move(words)) {}

  Result<std::vector<CorefileBlock>> blocks() {
    std::vector<CorefileBlock> blocks;
    while (!at_end()) {
      CorefileBlock block{.line = word().line};
      if (word().is("import")) {
        block.keys = TRY(line()).words;
        blocks.push_back(std::move(block));
        continue;
      }
      const bool braces = TRY(keys(block));
      while (!at_end() && !(braces && word().is("}"))) {
        block.plugins.push_back(TRY(plugin()));
      }
      if (braces) {
        if (at_end()) return failure(block.line, "the block is not closed");
        ++at_;
      }
      blocks.push_back(std::move(block));
    }
    return blocks;
  }

 private:
  bool at_end() const { return at_ == words_.size(); }
  const Word& word() const { return words_[at_]; }
  bool continues(size_t line) const { return !at_end() && word().line == line; }

  // The keys of a block; true if braces follow. A line that ends with a comma continues.
  Result<bool> keys(CorefileBlock& block) {
    size_t line = word().line;
    bool comma = false;
    while (!at_end() && (word().line == line || comma)) {
      line = word().line;
      if (word().is("{")) {
        if (block.keys.empty()) return failure(line, "the block has no zone");
        ++at_;
        return true;
      }
      if (word().is("}")) return failure(line, "\"}\" closes nothing");
      std::string key = words_[at_++].text;
      comma = key.ends_with(',');
      if (comma) key.pop_back();
      if (!key.empty()) block.keys.push_back(std::move(key));
    }
    if (block.keys.empty()) return failure(line, "the block has no zone");
    return false;
  }

  Result<CorefileLine> plugin() {
    CorefileLine plugin = TRY(line());
    if (at_end() || !word().is("{") || word().line != plugin.number) return plugin;
    ++at_;
    while (!at_end() && !word().is("}")) {
      plugin.options.push_back(TRY(line()));
      if (!at_end() && word().is("{")) {
        return failure(word().line, "an option cannot have a block of its own");
      }
    }
    if (at_end()) return failure(plugin.number, "the block is not closed");
    ++at_;
    return plugin;
  }

  // Words up to the end of the line or a brace.
  Result<CorefileLine> line() {
    CorefileLine found{.number = word().line};
    while (continues(found.number) && !word().is("{") && !word().is("}")) {
      found.words.push_back(words_[at_++].text);
    }
    if (found.words.empty()) return failure(found.number, "a word is missing before the brace");
    return found;
  }

  std::vector<Word> words_;
  size_t at_ = 0;
};

}  // namespace corefile

Result<std::vector<CorefileBlock>> parse_corefile(std::string_view text) {
  if (text.size() > corefile::kMaxBytes) {
    return Status(Reason::kInvalid, "the Corefile is larger than 1 MiB");
  }
  return corefile::Parser(TRY(corefile::Scanner(text).all())).blocks();
}

}  // namespace proa::dns
