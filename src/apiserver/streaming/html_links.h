#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace proa::apiserver {

// Rewrites the links of an HTML page as it passes: the values of href, src and other attributes
// that hold addresses, in the tags that upstream's proxy looks at. Everything else stays byte for
// byte. Linear, and holds back no more than one value.
class HtmlLinks {
 public:
  // The address to write instead. Given text as it stands in the page, character references
  // included; its result must need no quoting.
  using Rewrite = std::function<std::string(std::string_view address)>;
  explicit HtmlLinks(Rewrite rewrite) : rewrite_(std::move(rewrite)) {}

  // The page's next part, rewritten. `end`: it is the last one.
  std::string pass(std::string_view part, bool end);

 private:
  enum class State : uint8_t {
    kText,
    kOpen,         // after <
    kDeclaration,  // after <!
    kComment,
    kRaw,  // in a script, style and the like
    kTagName,
    kBeforeName,  // between attributes
    kName,
    kAfterName,
    kBeforeValue,
    kQuoted,
    kBare,
  };
  void take(char c);
  void take_in_tag(char c);
  void take_in_value(char c);
  void take_in_raw(char c);
  void take_comment(char c);
  void begin_value(char first);
  void end_value();
  void end_tag();

  const Rewrite rewrite_;
  std::string out_;
  State state_ = State::kText;
  std::string tag_;    // in lower case; cut when it is longer than any known one
  std::string name_;   // of the attribute, likewise
  std::string value_;  // held back while it is an address
  bool is_address_ = false;
  char quote_ = 0;
  size_t matched_ = 0;  // of the end of a comment or of raw text
};

}  // namespace proa::apiserver
