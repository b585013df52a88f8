#pragma once

#include <memory>
#include <string>
#include <string_view>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace proa::apiserver {

// A text that repeats most of another one, as what it takes to make it from that one. Making the
// text costs little more than copying it.
class Difference {
 public:
  Difference() = default;

  size_t text_size() const { return text_size_; }  // of the text
  size_t size() const { return encoded_.size(); }  // of what is kept of it

 private:
  friend class Differences;

  std::string encoded_;
  size_t text_size_ = 0;
};

// Makes and reads differences, many in a row. Used by one thread at a time.
class Differences {
 public:
  Differences();
  ~Differences();
  Differences(const Differences&) = delete;
  Differences& operator=(const Differences&) = delete;

  Difference make(std::string_view text, std::string_view like);
  // Appends the text. REQUIRES: `like` is the text that it was made with.
  void read(const Difference& difference, std::string_view like, std::string& out);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* writer) const;
    void operator()(ZSTD_DCtx_s* reader) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> writer_;  // made at first use
  const std::unique_ptr<ZSTD_DCtx_s, Free> reader_;
};

}  // namespace proa::apiserver
