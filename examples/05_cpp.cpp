/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * C++: scopes in member functions and templates, and what an exception does to them.
 *
 * A calculator that reads "3 4 +" rather than "3 + 4" (reverse Polish notation).
 */
#define NVTXH_DEFAULT_DOMAIN calculator
#include "nvtxh.h"

#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

NVTX_DOMAIN(calculator, "calculator");

/* One annotation, one name in the timeline, whatever T is. */
template <typename T>
class Calculator {
  public:
    T evaluate(const std::string &expression) {
        /* Ends at the return, and as well when one of the calls below throws. */
        NVTX_SCOPE("evaluate", .color = NVTXH_DARKORANGE,
                   .payload = nvtxh_payload(expression.size()));

        std::istringstream words(expression);
        for (std::string word; words >> word;)
            step(word);
        return pop();
    }

  private:
    void step(const std::string &word) {
        NVTX_SCOPEF("step %s", word.c_str());

        T number;
        if (word == "+") {
            stack.push_back(pop() + pop());
        } else if (word == "*") {
            stack.push_back(pop() * pop());
        } else if (std::istringstream(word) >> number) {
            stack.push_back(number);
        } else {
            throw std::invalid_argument(word + " is not a number");
        }
    }

    T pop() {
        if (stack.empty())
            throw std::out_of_range("a number is missing");
        T top = stack.back();
        stack.pop_back();
        return top;
    }

    std::vector<T> stack;
};

template <typename T>
static void show(const char *expression) {
    try {
        T result = Calculator<T>().evaluate(expression);
        std::cout << expression << " = " << result << '\n';
    } catch (const std::exception &e) {
        NVTX_MARKF("failed: %s", e.what()); /* "step" and "evaluate" have ended by now */
        std::cout << expression << ": " << e.what() << '\n';
    }
}

int main() {
    NVTX_FUNC();
    show<int>("3 4 + 5 *");
    show<double>("1.5 2.5 *");
    show<int>("1 +");
    show<int>("1 two +");
}
