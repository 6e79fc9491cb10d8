// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A C++ program annotated with NVTX's own nvtx3.hpp, in all the ways that it has.
#include <nvtx3/nvtx3.hpp>

#include <stdexcept>
#include <thread>
#include <vector>

struct my_domain {
    static constexpr char const *name = "cpp";
};
struct my_message {
    static constexpr char const *message = "registered by type";
};
struct my_category {
    static constexpr char const *name = "a category";
    static constexpr uint32_t id = 42;
};

static void function(int n) {
    NVTX3_FUNC_RANGE();
    if (n) {
        function(n - 1);
    }
}

static void throws() {
    nvtx3::scoped_range_in<my_domain> range{"thrown through"};
    throw std::runtime_error("");
}

int main() {
    function(3);
    for (int i = 0; i < 5; i++) {
        try {
            throws();
        } catch (std::runtime_error const &) {
        }
    }
    auto &message = nvtx3::registered_string_in<my_domain>::get<my_message>();
    auto &category = nvtx3::named_category_in<my_domain>::get<my_category>();
    nvtx3::mark_in<my_domain>(message, category, nvtx3::rgb{1, 2, 3}, nvtx3::payload{2.5});
    nvtx3::unique_range_in<my_domain> moved{L"wide \u00e9"};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++) {
        threads.emplace_back([] {
            for (int i = 0; i < 25; i++) {
                nvtx3::scoped_range range{"in a thread"};
            }
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    auto last = std::move(moved);
    auto handle = nvtx3::start_range_in<my_domain>("by hand");
    nvtx3::end_range_in<my_domain>(handle);
    return 0;
}
