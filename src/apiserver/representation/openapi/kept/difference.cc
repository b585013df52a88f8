#include "apiserver/representation/openapi/kept/difference.h"

#include <zstd.h>

#include "base/check.h"

namespace proa::apiserver {
namespace difference {

// Finds nearly all that is repeated, at some 200 MB/s; further levels gain little here.
constexpr int kLevel = 3;

}  // namespace difference

Differences::Differences() : reader_(ZSTD_createDCtx()) { CHECK(reader_ != nullptr); }
Differences::~Differences() = default;

void Differences::Free::operator()(ZSTD_CCtx_s* writer) const { ZSTD_freeCCtx(writer); }
void Differences::Free::operator()(ZSTD_DCtx_s* reader) const { ZSTD_freeDCtx(reader); }

Difference Differences::make(std::string_view text, std::string_view like) {
  if (writer_ == nullptr) {
    writer_.reset(ZSTD_createCCtx());
    CHECK(writer_ != nullptr);
    ZSTD_CCtx_setParameter(writer_.get(), ZSTD_c_compressionLevel, difference::kLevel);
  }
  // Holds for one text.
  CHECK(!ZSTD_isError(ZSTD_CCtx_refPrefix(writer_.get(), like.data(), like.size())));
  std::string encoded(ZSTD_compressBound(text.size()), '\0');
  const size_t size =
      ZSTD_compress2(writer_.get(), encoded.data(), encoded.size(), text.data(), text.size());
  CHECK(!ZSTD_isError(size));
  Difference made;
  made.encoded_.assign(encoded, 0, size);
  made.text_size_ = text.size();
  return made;
}

void Differences::read(const Difference& difference, std::string_view like, std::string& out) {
  const size_t before = out.size();
  out.resize(before + difference.text_size());
  CHECK(!ZSTD_isError(ZSTD_DCtx_refPrefix(reader_.get(), like.data(), like.size())));
  const size_t size =
      ZSTD_decompressDCtx(reader_.get(), out.data() + before, difference.text_size(),
                          difference.encoded_.data(), difference.encoded_.size());
  CHECK(size == difference.text_size());
}

}  // namespace proa::apiserver
