#include "testkit/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/strings.h"

namespace proa::testkit {
namespace golden {

constexpr std::string_view kSeparator = "----";

struct Block {
  size_t line = 0;       // where it begins, counted from one
  std::string comment;   // whole lines
  std::string command;   // without the last line end
  std::string expected;  // whole lines
};

class Parser {
 public:
  explicit Parser(std::string_view text) : lines_(split(text, '\n')) {
    if (lines_.back().empty()) lines_.pop_back();
  }

  std::vector<Block> blocks() {
    std::vector<Block> blocks;
    std::string comment;
    while (!done()) {
      if (line().empty() || line().starts_with('#')) {
        comment += next();
        comment += '\n';
        continue;
      }
      Block block{.line = at_ + 1, .comment = std::exchange(comment, {})};
      read_command(block);
      read_expected(block);
      blocks.push_back(std::move(block));
    }
    // Comments after the last block form a block without a command.
    if (!comment.empty()) blocks.push_back({.line = at_, .comment = std::move(comment)});
    return blocks;
  }

 private:
  bool done() const { return at_ == lines_.size(); }
  std::string_view line() const { return lines_[at_]; }
  std::string_view next() { return lines_[at_++]; }

  void read_command(Block& block) {
    while (!done() && line() != kSeparator) {
      if (!block.command.empty()) block.command += '\n';
      block.command += next();
    }
    if (!done()) ++at_;
  }

  void read_expected(Block& block) {
    const auto pair = [&] {
      return at_ + 1 < lines_.size() && line() == kSeparator && lines_[at_ + 1] == kSeparator;
    };
    // The first separator is already consumed: a second one means that empty lines are part of the
    // expectation.
    const bool fenced = !done() && line() == kSeparator;
    if (fenced) ++at_;
    while (!done() && (fenced ? !pair() : !line().empty())) {
      block.expected += next();
      block.expected += '\n';
    }
    if (fenced && !done()) at_ += 2;
    if (!done() && line().empty()) ++at_;
  }

  std::vector<std::string_view> lines_;
  size_t at_ = 0;
};

std::string print(const Block& block, const std::string& output) {
  if (block.command.empty()) return block.comment;
  std::string text = block.comment + block.command + "\n----\n";
  const bool fenced = output.starts_with('\n') || output.find("\n\n") != std::string::npos ||
                      output.starts_with(kSeparator);
  if (fenced) text += "----\n";
  text += output;
  if (fenced) text += "----\n----\n";
  return text + "\n";
}

std::filesystem::path find(const std::filesystem::path& file) {
  std::error_code ignored;
  if (file.is_absolute() || std::filesystem::exists(file, ignored)) return file;
  // The compiler may have been given a path relative to the build folder, which contains the
  // program.
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / file;
}

}  // namespace golden

void run_golden(const std::filesystem::path& file,
                const std::function<std::string(std::string_view command)>& run) {
  const std::filesystem::path path = golden::find(file);
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in) << "no script at " << path;
  std::stringstream content;
  content << in.rdbuf();
  const std::string text = content.str();

  const char* update = std::getenv("UPDATE_GOLDEN");
  const bool rewrite = update != nullptr && std::string_view(update) == "1";
  std::string rewritten;
  for (const golden::Block& block : golden::Parser(text).blocks()) {
    std::string output;
    if (!block.command.empty()) output = run(block.command);
    if (!output.empty() && !output.ends_with('\n')) output += '\n';
    if (!rewrite) {
      EXPECT_EQ(output, block.expected) << path.string() << ":" << block.line << "\n"
                                        << block.command;
    }
    rewritten += golden::print(block, output);
  }
  if (!rewrite || rewritten == text) return;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << rewritten;
  EXPECT_TRUE(out.flush()) << "can't write " << path;
}

}  // namespace proa::testkit
